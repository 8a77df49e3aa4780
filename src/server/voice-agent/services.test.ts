import { afterEach, expect, test, vi } from 'vitest';
import { createJobQueue } from '../speech/local/queue.ts';
import { createLocalTranscriber, synthesize, TooSlowError, type LocalTranscription } from './services.ts';

type Asked = PromiseWithResolvers<string> & Readonly<{ bytes: number }>;

function start(bytes = Infinity) {
  const asked: Asked[] = [];
  const queue = createJobQueue({ jobs: 100, jobsOfCaller: 3, bytes, turnBytes: 0 });
  const hold = () => queue.hold('turn');
  const local: LocalTranscription = {
    isInstalled: async () => true,
    hold,
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

test('Counts the segments that wait among the bytes of the queue (threat 7)', async () => {
  const { asked, transcriber } = start(audio(5).length);
  const [first, second] = [transcriber.transcribe(audio(1)), transcriber.transcribe(audio(3))];
  await expect.poll(() => asked.length).toBe(1);
  await expect(transcriber.transcribe(audio(3))).rejects.toMatchObject({ code: 'queue_full' });
  asked[0]?.resolve('one');
  await expect.poll(() => asked.length).toBe(2);
  const last = transcriber.transcribe(audio(5));
  asked[1]?.resolve('two');
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.resolve('three');
  expect(await Promise.all([first, second, last])).toEqual(['one', 'two', 'three']);
});

test('Says that the machine is too slow where a segment takes more than its 60 s (decision 0234)', async () => {
  const limit = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  const { asked, transcriber } = start();
  const words = transcriber.transcribe(audio(8));
  await expect.poll(() => asked.length).toBe(1);
  limit.abort();
  asked[0]?.reject(new Error('upload_aborted'));
  await expect(words).rejects.toBeInstanceOf(TooSlowError);
  timeout.mockRestore();
});

const SPEECH = { url: 'http://voice.test', key: undefined, model: 'm', voice: 'v', sampleRate: 24_000 } as const;

async function listen(pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<Buffer> {
  const body = new ReadableStream({
    start: (stream) => {
      for (const piece of pieces) stream.enqueue(piece);
      stream.close();
    },
  });
  // Services name any type, whatever they send.
  vi.stubGlobal('fetch', async () => new Response(body, { headers: { 'content-type': 'audio/mpeg' } }));
  const heard = await Array.fromAsync(synthesize(SPEECH, 'Guten Tag.', new AbortController().signal));
  return Buffer.concat(heard);
}
afterEach(() => vi.unstubAllGlobals());

test.each([
  ['WAV', Buffer.from('RIFF$\0\0\0WAVEfmt ')],
  ['MP3', Buffer.from([0xff, 0xfb, 0x90, 0x64])],
  ['MP3 with tags', Buffer.from('ID3\u0004\0\0')],
  ['AAC', Buffer.from([0xff, 0xf1, 0x50, 0x80])],
  ['Opus', Buffer.from('OggS\0\u0002\0\0')],
])('Plays no %s as noise where a speech service ignores the format that it is asked for (§7)', async (_name, file) => {
  await expect(listen([file, Buffer.alloc(100)])).rejects.toMatchObject({ name: 'ServiceError', status: 0 });
});

test('Plays every sample, also those that look like the beginning of a file (§7)', async () => {
  const samples = Buffer.from([0, 0, 0xff, 0xfb, 0x52, 0x49, 0x46, 0x46]);
  expect(await listen([samples.subarray(0, 3), samples.subarray(3)])).toEqual(samples);
});
