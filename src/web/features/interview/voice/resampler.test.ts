import './resampler.worklet.js';
import { expect, test } from 'vitest';

type Resampler = Readonly<{ full: (piece: ArrayLike<number>) => Float32Array }>;
declare const LibSampleRate: Readonly<{ create: (channels: number, from: number, to: number) => Promise<Resampler> }>;

const tone = (rate: number, hertz: number, seconds: number): Float32Array =>
  Float32Array.from({ length: rate * seconds }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / rate));

async function inPieces(signal: Float32Array, from: number, to: number, size: number): Promise<number[]> {
  const { full } = await LibSampleRate.create(1, from, to);
  const out: number[] = [];
  for (let at = 0; at < signal.length; at += size) out.push(...full(signal.subarray(at, at + size)));
  return out;
}

const power = (signal: readonly number[]): number =>
  signal.reduce((sum, value) => sum + value * value, 0) / signal.length;

test.each([
  [48_000, 16_000],
  [44_100, 16_000],
  [16_000, 48_000],
  [16_000, 44_100],
])('A second at %i Hz is a second at %i Hz, as loud as before, in pieces or whole', async (from, to) => {
  const signal = tone(from, 300, 1);
  const pieces = await inPieces(signal, from, to, 128);
  expect(Math.abs(pieces.length - to)).toBeLessThanOrEqual(4);
  expect(power(pieces)).toBeCloseTo(0.5, 1);
  const whole = await inPieces(signal, from, to, signal.length);
  pieces.forEach((value, at) => expect(value).toBeCloseTo(whole[at] ?? 0, 4));
});

test('Damps frequencies too high for a lower rate', async () => {
  expect(power(await inPieces(tone(48_000, 16_000, 1), 48_000, 16_000, 128))).toBeLessThan(0.01);
});
