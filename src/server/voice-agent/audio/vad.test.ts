import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pcmToFloats } from './pcm.ts';
import { openVoiceActivity, VAD_FRAME, VAD_SAMPLE_RATE, type VoiceActivity } from './vad.ts';

let activity: VoiceActivity;
let speech: Buffer;
beforeAll(async () => {
  activity = await openVoiceActivity();
  const file = await readFile(new URL('../../../../tests/fixtures/voice/satz-a.wav', import.meta.url));
  speech = file.subarray(file.indexOf('data') + 8);
});
afterAll(() => activity.close());

function frames(pcm: Buffer): Float32Array[] {
  const floats = pcmToFloats(pcm);
  return Array.from({ length: Math.floor(floats.length / VAD_FRAME) }, (_, at) =>
    floats.slice(at * VAD_FRAME, (at + 1) * VAD_FRAME),
  );
}

const judge = async (pcm: Buffer): Promise<number[]> => {
  const stream = activity.open();
  const judged = await Promise.all(frames(pcm).map((frame) => stream.judge(frame)));
  stream.close();
  return judged;
};

const share = (judged: readonly number[]): number => judged.filter((one) => one >= 0.5).length / judged.length;

test('Detects German speech, but not silence, a hum or noise', async () => {
  expect(share(await judge(speech))).toBeGreaterThan(0.6);
  const second = Buffer.alloc(VAD_SAMPLE_RATE * 2);
  expect(share(await judge(second))).toBe(0);
  const tone = (value: (at: number) => number): Buffer => {
    const pcm = Buffer.alloc(VAD_SAMPLE_RATE * 2);
    for (let at = 0; at < VAD_SAMPLE_RATE; at++) pcm.writeInt16LE(Math.round(value(at)), at * 2);
    return pcm;
  };
  expect(share(await judge(tone((at) => 8_000 * Math.sin((at * 100 * 2 * Math.PI) / VAD_SAMPLE_RATE))))).toBeLessThan(
    0.1,
  );
  expect(share(await judge(tone((at) => ((at * 7_919) % 2_003) - 1_000)))).toBeLessThan(0.1);
});

test('Judges conversations in a batch as it does alone', async () => {
  const silence = Buffer.alloc(speech.length);
  const alone = await judge(speech);
  const together = await Promise.all([judge(silence), judge(speech), judge(speech.subarray(20_480)), judge(speech)]);
  for (const judged of [together[1], together[3]]) {
    judged?.forEach((one, at) => expect(one).toBeCloseTo(alone[at] ?? -1, 3));
  }
  expect(share(together[0])).toBe(0);
});
