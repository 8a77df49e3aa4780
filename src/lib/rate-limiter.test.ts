import { expect, test } from 'vitest';
import { BoundedMap, createRateLimiter } from './rate-limiter.ts';

test('Fills the bucket evenly and never above its burst (contract §1.6)', () => {
  let now = 0;
  const buckets = createRateLimiter({ tokens: 60, perMs: 60_000, burst: 3 }, () => now);
  expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([true, true, true, false]);
  expect(buckets.waitMs('a')).toBe(1_000);
  now = 999;
  expect(buckets.take('a')).toBe(false);
  now = 1_000;
  expect([buckets.take('a'), buckets.take('a')]).toEqual([true, false]);
  now = 3_600_000;
  expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([true, true, true, false]);
  expect([buckets.take('b'), buckets.waitMs('c')]).toEqual([true, 0]);
});

test('Does not make anybody wait because the clock was set back (contract §1.6)', () => {
  let now = 7_200_000;
  const buckets = createRateLimiter({ tokens: 60, perMs: 60_000, burst: 3 }, () => now);
  buckets.take('a');
  now -= 3_600_000;
  expect([1, 2, 3].map(() => buckets.take('a'))).toEqual([true, true, false]);
  expect(buckets.waitMs('a')).toBe(1_000);
  now += 1_000;
  expect(buckets.take('a')).toBe(true);
});

test('Drops the least recently set key of a full map', () => {
  const map = new BoundedMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4]);
});
