import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { StoreFullError } from './object-store.ts';
import { getMinimumFreeBytes, requireFree } from './free-space.ts';

const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;

test.each([
  ['a large disk keeps the bytes', 1000 * GIBIBYTE, 512 * MEBIBYTE],
  ['a small one its percentage', 6000 * MEBIBYTE, 300 * MEBIBYTE],
  ['a tiny one 128 MiB', GIBIBYTE, 128 * MEBIBYTE],
])('The minimum of free space: %s (threat 10)', (_case, disk, minimumFree) => {
  expect(getMinimumFreeBytes({ bytes: 512 * MEBIBYTE, percent: 5 }, disk)).toBe(minimumFree);
});

test('A minimum in bytes below 128 MiB holds as it is (threat 10)', () => {
  expect(getMinimumFreeBytes({ bytes: MEBIBYTE, percent: 5 }, GIBIBYTE)).toBe(MEBIBYTE);
});

test('Bytes that are announced count before they come (threat 10)', async () => {
  await expect(requireFree(tmpdir(), 0)).resolves.toBeUndefined();
  await expect(requireFree(tmpdir(), 0, Number.MAX_SAFE_INTEGER)).rejects.toBeInstanceOf(StoreFullError);
});
