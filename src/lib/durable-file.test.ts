import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeDurably, writeDurably } from './durable-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('Replaces a file whole, readable for its owner only, and removes it', async () => {
  const file = path.join(folder, 'x');
  await writeFile(file, 'a longer old content', { mode: 0o644 });
  await writeDurably(file, 'new');
  expect(await readFile(file, 'utf8')).toBe('new');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['x']);
  await removeDurably(file);
  await removeDurably(file);
  expect(await readdir(folder)).toEqual([]);
});
