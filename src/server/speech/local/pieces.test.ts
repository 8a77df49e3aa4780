import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SAMPLE_RATE } from './decode.ts';
import { cutAtPauses, isSilent } from './pieces.ts';

const LENGTH = { shortestS: 2, longestS: 5 };

function makeSound(seconds: number, pauses: readonly Readonly<{ fromS: number; toS: number }>[]): Int16Array {
  const samples = new Int16Array(seconds * SAMPLE_RATE).map((_, index) => 5_000 * Math.sin(index / 5));
  for (const { fromS, toS } of pauses) samples.fill(0, fromS * SAMPLE_RATE, toS * SAMPLE_RATE);
  return samples;
}

test('Cuts in the middle of a pause', () => {
  const pieces = cutAtPauses(makeSound(8, [{ fromS: 3.4, toS: 3.8 }]), LENGTH);
  expect(pieces.length).toBe(2);
  const cutS = (pieces[0]?.to ?? 0) / SAMPLE_RATE;
  expect(cutS).toBeGreaterThan(3.4);
  expect(cutS).toBeLessThan(3.8);
});

test('Makes long pieces where there is no pause', () => {
  const ends = cutAtPauses(new Int16Array(12 * SAMPLE_RATE).fill(5_000), LENGTH).map(({ to }) => to / SAMPLE_RATE);
  expect(ends.length).toBe(3);
  expect(ends[0]).toBeGreaterThan(4.5);
});

test('Leaves out no sample, and exceeds the longest piece never', () => {
  const pauses = fc.array(fc.record({ fromS: fc.double({ min: 0, max: 19, noNaN: true }), toS: fc.constant(20) }));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 }), pauses, (seconds, silent) => {
      const samples = makeSound(
        seconds,
        silent.map(({ fromS }) => ({ fromS, toS: fromS + 0.3 })),
      );
      const pieces = cutAtPauses(samples, LENGTH);
      expect(pieces.map(({ from }) => from)).toEqual([0, ...pieces.map(({ to }) => to)].slice(0, pieces.length));
      expect(pieces.at(-1)?.to ?? 0).toBe(samples.length);
      for (const { from, to } of pieces) expect(to - from).toBeLessThanOrEqual(LENGTH.longestS * SAMPLE_RATE);
    }),
    { numRuns: 30 },
  );
});

test('Tells silence from a quiet voice', () => {
  expect(isSilent(new Int16Array(SAMPLE_RATE).fill(10))).toBe(true);
  const voice = new Int16Array(SAMPLE_RATE).map((_, index) => (index > 12_000 ? 100 * Math.sin(index / 5) : 0));
  expect(isSilent(voice)).toBe(false);
});
