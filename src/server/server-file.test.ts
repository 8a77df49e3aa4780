import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readServerFile, removeServerFile, writeServerFile } from './server-file.ts';

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
