import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findExcess, parseForm } from './body-limits.ts';

const count = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, item) => sum + 1 + count(item), 0);
const measureDepth = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(measureDepth));

test('Finds every text that is deeper or has more values than allowed, whatever its strings hold', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\\"', '[[[', '{,{', ']'));
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.array(tie('value')), fc.dictionary(text, tie('value'))),
  })).value;
  fc.assert(
    fc.property(json, fc.nat(6), fc.nat(40), (value, depth, values) => {
      const excess = findExcess(JSON.stringify(value), { depth, values });
      if (measureDepth(value) > depth) expect(excess).toBeDefined();
      if (count(value) > values) expect(excess).toBeDefined();
      // An empty list or object counts as one value.
      const most =
        JSON.stringify(value)
          .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
          .match(/[[{,]/g)?.length ?? 0;
      if (measureDepth(value) <= depth && most <= values) expect(excess).toBeUndefined();
    }),
  );
});

test('Reads a text that is no JSON to its end', () => {
  expect(findExcess('["never closed', { depth: 1, values: 1 })).toBeUndefined();
  expect(findExcess(']]]]]]', { depth: 1, values: 1 })).toBeUndefined();
});

test('Parses a form up to a thousand pairs', () => {
  expect([...(parseForm('a=1&b=%C3%A4+x&a=2') ?? [])]).toEqual([
    ['a', '1'],
    ['b', 'ä x'],
    ['a', '2'],
  ]);
  expect(parseForm('a&'.repeat(999))?.size).toBe(999);
  expect(parseForm('a&'.repeat(1_001))).toBeUndefined();
  expect(parseForm('')?.size).toBe(0);
});
