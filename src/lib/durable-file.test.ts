import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeDurably, removeUnfinishedFiles, writeDurably } from './durable-file.ts';

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

test('Leaves nothing of a write that failed, and does not mix two writes of one file', async () => {
  const file = path.join(folder, 'x');
  await mkdir(file);
  await expect(writeDurably(file, 'a mail with its address')).rejects.toMatchObject({ code: 'EISDIR' });
  expect(await readdir(folder)).toEqual(['x']);
  await rm(file, { recursive: true });
  const texts = ['a'.repeat(100_000), 'b'.repeat(50_000)];
  await Promise.all(texts.map((text) => writeDurably(file, text)));
  expect(texts).toContain(await readFile(file, 'utf8'));
});

test('Removes what a killed process was writing, and nothing else', async () => {
  const ids = ['0f1e2d3c', '4711'];
  for (const name of [...ids.map((id) => `.mail.eml.${id}.draft`), 'mail.eml', '.hidden', 'post.draft'])
    await writeFile(path.join(folder, name), '');
  await removeUnfinishedFiles(folder);
  expect((await readdir(folder)).toSorted()).toEqual(['.hidden', 'mail.eml', 'post.draft']);
  await removeUnfinishedFiles(path.join(folder, 'missing'));
});
