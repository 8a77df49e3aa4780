import { expect, test } from 'vitest';
import { TooSlowError } from '../services.ts';
import { createEarlyTranscription } from './segments.ts';

const audio = (seconds: number): Buffer => Buffer.alloc(seconds * 32_000);

/** Remembers each request: seconds of audio, and whether it was ended. */
function start(answer: (nth: number) => Promise<string>) {
  const asked: { seconds: number; signal: AbortSignal | undefined }[] = [];
  const words = createEarlyTranscription((given, signal) => {
    asked.push({ seconds: given.length / 32_000, signal });
    return answer(asked.length);
  });
  return { words, asked };
}

test('Sends one request where the pause was the end', async () => {
  const { words, asked } = start(async (nth) => `words ${nth}`);
  words.start(audio(2));
  expect(await words.take(audio(2.5))).toBe('words 1');
  expect(await words.take(audio(1))).toBe('words 2');
  expect(asked.map(({ seconds }) => seconds)).toEqual([2, 1]);
});

test('Cancels the request when the user goes on', async () => {
  const { words, asked } = start(async (nth) => `words ${nth}`);
  words.start(audio(2));
  words.cancel();
  expect(asked[0]?.signal?.aborted).toBe(true);
  expect(await words.take(audio(4))).toBe('words 2');
});

test('Sends the whole segment again when the early request fails', async () => {
  const { words, asked } = start(async (nth) => (nth === 1 ? Promise.reject(new Error('500')) : `words ${nth}`));
  words.start(audio(2));
  expect(await words.take(audio(2.5))).toBe('words 2');
  expect(asked.map(({ seconds }) => seconds)).toEqual([2, 2.5]);
});

test('Wastes no more audio than 15 s, or than was spoken', async () => {
  const { words, asked } = start(async () => '');
  const pauses = (count: number): void => {
    for (let pause = 1; pause <= count; pause++) {
      words.start(audio(pause));
      words.cancel();
    }
  };
  pauses(20);
  // 1 + 2 + 3 + 4 + 5 s
  expect(asked).toHaveLength(5);
  await words.take(audio(20));
  expect(asked).toHaveLength(6);
  pauses(20);
  // Of the next 5 s: 1 + 2 s, and 1 s of the pauses after.
  expect(asked.slice(6).reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(5);
});

test('Does not send a segment again to a machine that was too slow for it', async () => {
  const { words, asked } = start(() => Promise.reject(new TooSlowError()));
  await expect(words.take(audio(8))).rejects.toBeInstanceOf(TooSlowError);
  expect(asked).toHaveLength(1);
});
