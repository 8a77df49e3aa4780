import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderInUseError, lockFolder } from './lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a second server on the same data is refused, and told why', async () => {
  const first = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
  await expect(lockFolder(folder)).rejects.toThrow(folder);
  await first.release();
});

test('the same folder under another name is the same data', async () => {
  const first = await lockFolder(folder);
  await expect(lockFolder(path.join(folder, '..', path.basename(folder)))).rejects.toThrow(FolderInUseError);
  await first.release();
});

test('after the first server has stopped, the next may start', async () => {
  await (await lockFolder(folder)).release();
  const second = await lockFolder(folder);
  await second.release();
});

test('two folders do not disturb each other', async () => {
  const first = await lockFolder(path.join(folder, 'a'));
  const second = await lockFolder(path.join(folder, 'b'));
  await Promise.all([first.release(), second.release()]);
});
