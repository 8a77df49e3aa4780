import { cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  FolderInUseError,
  lockFolder,
  readServerFile,
  removeServerFile,
  requireMigrations,
  writeServerFile,
} from './data-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('Refuses a second server on the same folder and names the folder', async () => {
  const first = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
  await expect(lockFolder(folder)).rejects.toThrow(folder);
  await first.release();
});

test('Recognises the same folder under another name', async () => {
  const first = await lockFolder(folder);
  await expect(lockFolder(path.join(folder, '..', path.basename(folder)))).rejects.toThrow(FolderInUseError);
  await first.release();
});

test('Refuses the folder of a server in another container, unless that was killed', async () => {
  const elsewhere = createServer();
  await new Promise<void>((resolve) => void elsewhere.listen(path.join(folder, 'server.sock'), resolve));
  await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
  await rename(path.join(folder, 'server.sock'), path.join(folder, 'kept'));
  await new Promise((resolve) => void elsewhere.close(resolve));
  await rename(path.join(folder, 'kept'), path.join(folder, 'server.sock'));
  const held = await lockFolder(folder);
  await held.release();
  expect(await readdir(folder)).toEqual([]);
});

test('Lets the next server start after the first has stopped', async () => {
  await (await lockFolder(folder)).release();
  const second = await lockFolder(folder);
  await second.release();
});

test('Locks two folders independently', async () => {
  const first = await lockFolder(path.join(folder, 'a'));
  const second = await lockFolder(path.join(folder, 'b'));
  await Promise.all([first.release(), second.release()]);
});

test('Reads the server file back; a damaged one counts as missing', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-server-file-'));
  const content = { url: 'http://127.0.0.1:1', pid: 1, databaseUrl: 'postgres://x' };
  expect(await readServerFile(folder)).toBeUndefined();
  await writeServerFile(folder, content);
  expect(await readServerFile(folder)).toEqual(content);
  await writeFile(path.join(folder, 'server.json'), '{"url":');
  expect(await readServerFile(folder)).toBeUndefined();
  await removeServerFile(folder);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test('A SUPABASE_DIR that was copied from an earlier version is named; links, and other projects, are let in', () => {
  const migrations = path.join(folder, 'migrations');
  requireMigrations(folder);
  symlinkSync(path.resolve('supabase/migrations'), migrations);
  requireMigrations(folder);
  rmSync(migrations);
  cpSync('supabase/migrations', migrations, { recursive: true });
  const newest = readdirSync(migrations).toSorted().at(-1) ?? '';
  rmSync(path.join(migrations, newest));
  expect(() => requireMigrations(folder)).toThrow(`SUPABASE_DIR) fehlen Migrationen dieser Version, wie ${newest}.`);
});
