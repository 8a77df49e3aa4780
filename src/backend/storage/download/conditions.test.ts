import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StorageError } from '../errors.ts';
import { isUnchanged, parseRange, rangeApplies } from './conditions.ts';

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
])('%.20s of %d bytes is InvalidRange (contract §3.1)', (header, size) => {
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

const VERSION = { eTag: '"v1"', lastModified: new Date('2026-01-02T03:04:05.678Z') };
const SAME = 'Fri, 02 Jan 2026 03:04:05 GMT';
const EARLIER = 'Fri, 02 Jan 2026 03:04:04 GMT';
const LATER = 'Fri, 02 Jan 2026 03:04:06 GMT';

test.each([
  [{}, false],
  [{ 'if-none-match': '"v1"' }, true],
  [{ 'if-none-match': 'W/"v1"' }, true],
  [{ 'if-none-match': ' * ' }, true],
  [{ 'if-none-match': '"v0", W/"v1" , "v2"' }, true],
  [{ 'if-none-match': '"v0"' }, false],
  [{ 'if-none-match': 'v1' }, false],
  [{ 'if-none-match': '' }, false],
  [{ 'if-modified-since': SAME }, true],
  [{ 'if-modified-since': LATER }, true],
  [{ 'if-modified-since': EARLIER }, false],
  [{ 'if-modified-since': 'tomorrow' }, false],
  [{ 'if-none-match': '"v0"', 'if-modified-since': SAME }, false],
  [{ 'if-none-match': '"v1"', 'if-modified-since': EARLIER }, true],
])('RFC 9110 §13: %j finds the version unchanged: %s', (headers, unchanged) => {
  expect(isUnchanged(headers, VERSION)).toBe(unchanged);
});

test.each([
  [{}, true],
  [{ 'if-range': '"v1"' }, true],
  [{ 'if-range': '"v0"' }, false],
  [{ 'if-range': 'W/"v1"' }, false],
  [{ 'if-range': SAME }, true],
  [{ 'if-range': EARLIER }, false],
  [{ 'if-range': LATER }, false],
  [{ 'if-range': 'nonsense' }, false],
])('RFC 9110 §13: %j lets a range apply: %s', (headers, applies) => {
  expect(rangeApplies(headers, VERSION)).toBe(applies);
});
