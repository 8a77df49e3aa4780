import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { removeAbandonedFolders } from './socket-folder.ts';

/** A temporary folder of their own: others of this machine start servers, too. */
let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(path.join(tmpdir(), 'smca-socket-folders-'));
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true });
});

async function makeFolder(name: string, { owner, old }: { owner?: string; old?: boolean }): Promise<void> {
  const folder = path.join(temporary, `smca-pg-${name}`);
  await mkdir(folder);
  if (owner !== undefined) await writeFile(path.join(folder, 'owner.pid'), owner);
  const madeAt = new Date(Date.now() - 3_600_000);
  if (old === true) await utimes(folder, madeAt, madeAt);
}

test('A folder that is being made stays, with its owner not yet written or not yet named', async () => {
  await makeFolder('unnamed', { owner: '' });
  await makeFolder('unwritten', {});
  await removeAbandonedFolders();
  expect((await readdir(temporary)).toSorted()).toEqual(['smca-pg-unnamed', 'smca-pg-unwritten']);
});

test('A folder of a running server stays, and those of ended or never finished starts go', async () => {
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  await makeFolder('ended', { owner: String(ended) });
  await makeFolder('unnamed', { owner: '', old: true });
  await makeFolder('running', { owner: String(process.pid), old: true });
  await removeAbandonedFolders();
  expect(await readdir(temporary)).toEqual(['smca-pg-running']);
});
