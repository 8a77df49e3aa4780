import { expect, it } from 'vitest';
import { isLike } from './stored-session.ts';

const EXAMPLE = { name: '', on: false, limits: { bytes: 0 } };

it.each([
  [{ name: 'a', on: true, limits: { bytes: 3 } }, true],
  [{ name: 'a', on: true, limits: { bytes: 3, more: 1 }, more: 'x' }, true],
  [{ name: 'a', on: true, limits: { bytes: '3' } }, false],
  [{ name: 'a', on: true, limits: {} }, false],
  [{ name: 'a', on: true, limits: null }, false],
  [{ name: 'a', limits: { bytes: 3 } }, false],
  ['text', false],
  [null, false],
  [undefined, false],
  [[], false],
])('%j like the example: %s', (value, expected) => {
  expect(isLike(value, EXAMPLE)).toBe(expected);
});
