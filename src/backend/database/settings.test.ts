import { expect, test } from 'vitest';
import { getSharedMegabytes } from './settings.ts';

const GIGABYTE = 1024 ** 3;

test.each([
  ['a small machine keeps the default', 0.5 * GIGABYTE, 0, 128],
  ['an eighth of a machine', 2 * GIGABYTE, 0, 256],
  ['never more than what is searched', 64 * GIGABYTE, 0, 512],
  ['a limit counts, not the machine it is set on', 64 * GIGABYTE, 3 * GIGABYTE, 384],
  ['a limit beyond the machine is none', 2 * GIGABYTE, 2 ** 63, 256],
])('%s', (_what, total, limit, expected) => {
  expect(getSharedMegabytes(total, limit)).toBe(expected);
});
