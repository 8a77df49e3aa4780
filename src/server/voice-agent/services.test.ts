import { expect, test, vi } from 'vitest';
import { createLocalTranscriber, type LocalTranscription } from './services.ts';

type Asked = PromiseWithResolvers<string> & Readonly<{ bytes: number }>;

function start() {
  const asked: Asked[] = [];
  const local: LocalTranscription = {
    isInstalled: async () => true,
    transcribe: async (wav, { signal }) => {
      signal.throwIfAborted();
      const one = { ...Promise.withResolvers<string>(), bytes: wav.length };
      asked.push(one);
      return one.promise;
    },
  };
  return { asked, transcriber: createLocalTranscriber(local, { conversation: 'c', prompt: '' }) };
}

const audio = (seconds: number): Buffer => Buffer.alloc(seconds * 32_000);

test('Sends one segment of a conversation after the other, each with its own time', async () => {
  const limit = vi.spyOn(AbortSignal, 'timeout');
  const { asked, transcriber } = start();
  const words = [1, 2, 3].map((seconds) => transcriber.transcribe(audio(seconds)));
  for (const nth of [1, 2, 3]) {
    await expect.poll(() => asked.length).toBe(nth);
    expect(limit).toHaveBeenCalledTimes(nth);
    if (nth === 2) asked[1]?.reject(new Error('failed'));
    else asked[nth - 1]?.resolve(` words ${nth} `);
  }
  limit.mockRestore();
  const settled = await Promise.allSettled(words);
  expect(settled).toMatchObject([{ value: 'words 1' }, { status: 'rejected' }, { value: 'words 3' }]);
  expect(asked.map(({ bytes }) => Math.floor(bytes / 32_000))).toEqual([1, 2, 3]);
});

test('Does not send a segment that was cancelled while it waited', async () => {
  const { asked, transcriber } = start();
  const cancelled = new AbortController();
  const first = transcriber.transcribe(audio(1));
  const second = transcriber.transcribe(audio(2), cancelled.signal);
  const third = transcriber.transcribe(audio(3));
  cancelled.abort();
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.resolve('one');
  await expect(second).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve('three');
  expect(await Promise.all([first, third])).toEqual(['one', 'three']);
});
