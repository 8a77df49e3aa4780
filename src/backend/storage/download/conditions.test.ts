import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StorageError } from '../errors.ts';
import { parseRange } from './conditions.ts';

test.each([
  [undefined, 10, undefined],
  ['', 10, undefined],
  ['bytes=0-', 10, { start: 0, end: 9 }],
  ['bytes=9-', 10, { start: 9, end: 9 }],
  ['Bytes=2-4', 10, { start: 2, end: 4 }],
  ['bytes=-4', 10, { start: 6, end: 9 }],
  ['bytes=-11', 10, { start: 0, end: 9 }],
  ['bytes=4-2', 10, undefined],
  ['bytes=0-1,2-3', 10, undefined],
  ['items=0-1', 10, undefined],
])('RFC 9110 §14: %j of %d bytes', (header, size, range) => {
  expect(parseRange(header, size)).toEqual(range);
});

test.each([
  ['bytes=10-', 10],
  ['bytes=0-', 0],
  ['bytes=0-0', 0],
  ['bytes=-1', 0],
  ['bytes=-0', 10],
  [`bytes=${'9'.repeat(400)}-`, 10],
])('contract §3.1 %.20s of %d bytes is InvalidRange', (header, size) => {
  expect(() => parseRange(header, size)).toThrow(StorageError);
});

test('whatever is sent, a range lies within the file', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^bytes=\d{0,5}-\d{0,5}$/)),
      fc.nat(100_000),
      (header, size) => {
        try {
          const range = parseRange(header, size);
          if (range !== undefined) expect(0 <= range.start && range.start <= range.end && range.end < size).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(StorageError);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
