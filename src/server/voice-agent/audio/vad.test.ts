import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { pcmToFloats } from './pcm.ts';
import { createDetectorLoader, loadVoiceDetector, VAD_FRAME, VAD_SAMPLE_RATE, type VoiceDetector } from './vad.ts';

let detector: VoiceDetector;
beforeAll(async () => {
  detector = await loadVoiceDetector();
});

async function readSpeech(name: string): Promise<Buffer> {
  const file = await readFile(new URL(`../../../../tests/fixtures/${name}`, import.meta.url));
  return file.subarray(file.indexOf('data') + 8);
}

function cutFrames(pcm: Buffer): Float32Array[] {
  const floats = pcmToFloats(pcm);
  return Array.from({ length: Math.floor(floats.length / VAD_FRAME) }, (_, at) =>
    floats.slice(at * VAD_FRAME, (at + 1) * VAD_FRAME),
  );
}

function judge(pcm: Buffer): number[] {
  const stream = detector.open();
  return cutFrames(pcm).map((frame) => stream.judge(frame));
}

const share = (judged: readonly number[]): number => judged.filter((one) => one >= 0.5).length / judged.length;

test('Detects German speech, but not silence, a hum or noise', async () => {
  expect(share(judge(await readSpeech('voice/satz-a.wav')))).toBeGreaterThan(0.6);
  const second = Buffer.alloc(VAD_SAMPLE_RATE * 2);
  expect(share(judge(second))).toBe(0);
  const tone = (value: (at: number) => number): Buffer => {
    const pcm = Buffer.alloc(VAD_SAMPLE_RATE * 2);
    for (let at = 0; at < VAD_SAMPLE_RATE; at++) pcm.writeInt16LE(Math.round(value(at)), at * 2);
    return pcm;
  };
  expect(share(judge(tone((at) => 8_000 * Math.sin((at * 100 * 2 * Math.PI) / VAD_SAMPLE_RATE))))).toBeLessThan(0.1);
  expect(share(judge(tone((at) => ((at * 7_919) % 2_003) - 1_000)))).toBeLessThan(0.1);
});

/** What ONNX Runtime 1.30 gives for every eighth frame of the same model. */
// prettier-ignore
const REFERENCE: [string, number[]][] = [
  ['voice/satz-a.wav', [
    0.1574, 0.9722, 0.9914, 0.9993, 0.9998, 0.9988, 0.9112, 0.9992, 0.9789, 0.9997, 0.9575, 0.9998, 0.9997, 0.5999, 0.0001,
  ]],
  ['voice/satz-b.wav', [
    0.0974, 0.9293, 0.9983, 0.9960, 0.9984, 0.9998, 0.9999, 0.9955, 0.9381, 0.9999, 0.9551, 0.9942, 0.9999, 0.0015,
  ]],
  ['sprache.wav', [
    0.0120, 0.9910, 0.9977, 0.9999, 0.0009, 0.9993, 0.9999, 1.0000, 0.9998, 1.0000, 0.9991, 1.0000, 0.9999, 0.9995, 0.9999,
    0.9984, 0.9935, 0.0011, 0.9983, 0.9998, 0.9999, 0.9990, 0.9977, 0.9976, 0.8765, 1.0000, 0.9858, 0.9999, 0.0007, 0.0001,
  ]],
];

test.each(REFERENCE)('Judges %s as ONNX Runtime does (0232)', async (name, expected) => {
  const judged = judge(await readSpeech(name)).filter((_, at) => at % 8 === 0);
  expect(judged).toHaveLength(expected.length);
  for (const [at, one] of judged.entries()) expect(one).toBeCloseTo(expected[at] ?? -1, 4);
});

test('Judges each of several conversations as it does alone', async () => {
  const speech = cutFrames(await readSpeech('voice/satz-a.wav'));
  const other = cutFrames(await readSpeech('voice/satz-b.wav'));
  const alone = detector.open();
  const expected = speech.map((frame) => alone.judge(frame));
  const [stream, beside] = [detector.open(), detector.open()];
  const judged = speech.map((frame, at) => {
    const next = other[at];
    if (next !== undefined) beside.judge(next);
    return stream.judge(frame);
  });
  expect(judged).toEqual(expected);
});

test('Loads the model once, and again for the next conversation where that failed', async () => {
  const open = vi.fn(async () => detector).mockRejectedValueOnce(new Error('EMFILE'));
  const warn = vi.fn();
  const load = createDetectorLoader({ warn }, open);
  expect(await Promise.all([load(), load()])).toEqual([undefined, undefined]);
  expect([await load(), await load()]).toEqual([detector, detector]);
  expect([open.mock.calls.length, warn.mock.calls.length]).toEqual([2, 1]);
});
