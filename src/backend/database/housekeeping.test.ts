import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clearLog, limitLog } from './housekeeping.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('Leaves no copy of a log that is removed while it is shortened', async () => {
  const file = path.join(folder, 'postgres.log');
  await writeFile(file, '');
  // So large that the copy takes longer than the removal.
  await truncate(file, 64 * 1024 * 1024);
  await Promise.all([limitLog(file), clearLog(file)]);
  expect(await readdir(folder)).toEqual(['postgres.log']);
  expect((await stat(file)).size).toBe(0);
});
