import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { TranscriptionEngine, TranscriptionRequest } from '#server/speech/engine.ts';
import { SpeechError } from '#server/speech/errors.ts';
import {
  fixture,
  postRecording,
  readEvents,
  recordingForm,
  startSpeechApp,
  USER,
  type SpeechApp,
} from '#tests/support/speech-app.ts';
import {
  SPOKEN_TEXT,
  startTranscriptionService,
  type TranscriptionService,
} from '#tests/support/transcription-service.ts';

let service: TranscriptionService;
let app: SpeechApp;
let wav: Uint8Array<ArrayBuffer>;
const roomy = { callsPerMinute: 1_000, bytesPerMinute: 1e12 };
const STREAM = { fields: { stream: 'true' } };
const WITH_PROGRESS = { fields: { stream: 'true', progress: 'true' } };

beforeAll(async () => {
  service = await startTranscriptionService();
  app = await startSpeechApp({ TRANSCRIPTION_URL: service.url, TRANSCRIPTION_KEY: 'sk-secret' }, { limits: roomy });
  wav = await fixture('sprache.wav');
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});
beforeEach(() => service.reset());

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const delta = (text: string): string => event({ type: 'transcript.text.delta', delta: text, logprobs: [] });
const done = (text: string): object => ({ type: 'transcript.text.done', text });

async function readAll(response: Response): Promise<unknown[]> {
  return Array.fromAsync(readEvents(response));
}

/** Sends a recording, and waits until the service's event stream is open. */
async function openStream(to: SpeechApp, signal?: AbortSignal): Promise<{ answer: Promise<Response> }> {
  service.behave({ kind: 'stream' });
  const request = { method: 'POST', body: recordingForm(wav, STREAM), headers: USER, ...(signal && { signal }) };
  const answer = fetch(`${to.url}/v1/audio/transcriptions`, request);
  answer.catch(() => undefined);
  await service.until(() => service.streams() === 1);
  return { answer };
}

test('Passes each piece of the text on before the service has the next one (§7)', async () => {
  const { answer } = await openStream(app);
  expect(service.calls()[0]).toMatchObject({ fields: { stream: 'true', response_format: 'json' }, faults: [] });
  service.stream(delta('Guten'));
  const response = await answer;
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const events = readEvents(response);
  expect(await events.next()).toMatchObject({ value: { type: 'transcript.text.delta', delta: 'Guten' } });
  service.stream(delta(' Tag.'));
  expect(await events.next()).toMatchObject({ value: { type: 'transcript.text.delta', delta: ' Tag.' } });
  service.stream(event(done('Guten Tag.')));
  service.endStream();
  expect(await Array.fromAsync(events)).toEqual([done('Guten Tag.')]);
});

test('Streams one piece and the end where the service answers plain JSON', async () => {
  const response = await postRecording(app.url, recordingForm(wav, STREAM));
  expect(await readAll(response)).toEqual([{ type: 'transcript.text.delta', delta: SPOKEN_TEXT }, done(SPOKEN_TEXT)]);
});

test('Asks the service for no stream where the caller wants one answer', async () => {
  const response = await postRecording(app.url, recordingForm(wav, { fields: { stream: 'false' } }));
  expect(await response.json()).toEqual({ text: SPOKEN_TEXT });
  expect(service.calls()[0]?.fields).not.toHaveProperty('stream');
});

test('Ends a stream with the times where the operator wants them', async () => {
  const timed = await startSpeechApp({ TRANSCRIPTION_URL: service.url, TRANSCRIPTION_TIMES: 'true' });
  const response = await postRecording(timed.url, recordingForm(wav, { ...STREAM, format: 'verbose_json' }));
  const events = await readAll(response);
  expect(events.at(-1)).toMatchObject({ ...done(SPOKEN_TEXT), segments: [{ start: 0 }, { start: 0.5 }, { start: 1 }] });
  expect(service.calls()[0]?.fields).toMatchObject({ response_format: 'verbose_json' });
  expect(service.calls()[0]?.fields).not.toHaveProperty('stream');
  await timed.stop();
});

test('Answers an error before the first event with its status', async () => {
  service.behave({ kind: 'answer', status: 429, body: '{}', headers: { 'retry-after': '9' } });
  const response = await postRecording(app.url, recordingForm(wav, STREAM));
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '9']);
  expect(await response.json()).toMatchObject({ error: { code: 'service_rate_limited' } });
});

test('Refuses a value of "stream" that is no boolean', async () => {
  const response = await postRecording(app.url, recordingForm(wav, { fields: { stream: 'maybe' } }));
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_stream' } });
});

test.each([
  ['reports an error', event({ error: { message: 'model crashed, key sk-secret' } }), 'model crashed, key …'],
  ['breaks off', '', ''],
])('Ends a stream with an error event where the service %s', async (_name, piece, message) => {
  const { answer } = await openStream(app);
  service.stream(delta('Guten'));
  const events = readEvents(await answer);
  await events.next();
  service.stream(piece);
  service.endStream();
  expect(await Array.fromAsync(events)).toEqual([
    { error: { code: 'service_error', message, type: 'server_error', param: null } },
  ]);
  expect(app.log()).toContain('service_error');
});

test('Counts the 60 s from the last piece of the service (§9)', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { answer } = await openStream(app);
    service.stream(delta('Guten'));
    const events = readEvents(await answer);
    for (let at = 0; at < 3; at += 1) {
      expect(await events.next()).toMatchObject({ value: { type: 'transcript.text.delta' } });
      vi.advanceTimersByTime(59_000);
      service.stream(delta('Tag'));
    }
    await events.next();
    vi.advanceTimersByTime(60_000);
    expect(await events.next()).toMatchObject({ value: { error: { code: 'service_timeout' } } });
    await service.until(() => service.aborted() === 1);
  } finally {
    vi.useRealTimers();
  }
});

test('Aborts the request to the service when the reader of a stream disconnects (§9)', async () => {
  const caller = new AbortController();
  const { answer } = await openStream(app, caller.signal);
  service.stream(delta('Guten'));
  await readEvents(await answer).next();
  caller.abort();
  await service.until(() => service.aborted() === 1);
});

/** An engine whose steps the test takes. */
function scriptEngine(): { engine: TranscriptionEngine; started: Promise<TranscriptionRequest>; finish: () => void } {
  const started = Promise.withResolvers<TranscriptionRequest>();
  const end = Promise.withResolvers<void>();
  const transcribe: TranscriptionEngine['transcribe'] = async (request) => {
    await Array.fromAsync(request.audio);
    await request.language();
    started.resolve(request);
    const aborted = new Promise<never>((_resolve, reject) =>
      request.signal.addEventListener('abort', () => reject(new SpeechError('upload_aborted'))),
    );
    await Promise.race([end.promise, aborted]);
    return { text: 'Guten Tag.', segments: [{ start: 0.5, text: 'Guten Tag.' }] };
  };
  return { engine: { transcribe }, started: started.promise, finish: end.resolve };
}

test('Shows the place in the queue and the audio time to a caller that asks for them', async () => {
  const { engine, started, finish } = scriptEngine();
  const local = await startSpeechApp({}, { engine });
  const answer = postRecording(local.url, recordingForm(wav, { ...WITH_PROGRESS, format: 'verbose_json' }));
  const { onQueue, onProgress, onText, priority, caller } = await started;
  expect({ priority, caller }).toEqual({ priority: 'recording', caller: 'user:user-1' });
  onQueue?.(2);
  onProgress?.({ doneS: 1.5, totalS: 7.6 });
  onText?.('Guten Tag.');
  finish();
  expect(await readAll(await answer)).toEqual([
    { type: 'transcript.queued', place: 2 },
    { type: 'transcript.progress', done_seconds: 1.5, total_seconds: 7.6 },
    { type: 'transcript.text.delta', delta: 'Guten Tag.' },
    { ...done('Guten Tag.'), segments: [{ start: 0.5, text: 'Guten Tag.' }] },
  ]);
  await local.stop();
});

test('Hides its own events from other clients: comments keep the answer alive', async () => {
  const { engine, started, finish } = scriptEngine();
  const local = await startSpeechApp({}, { engine });
  const answer = postRecording(local.url, recordingForm(wav, STREAM));
  const { onQueue, onProgress } = await started;
  onQueue?.(1);
  onProgress?.({ doneS: 1.5, totalS: 7.6 });
  finish();
  const text = await (await answer).text();
  const data = text.split('\n\n').filter((block) => block.startsWith('data:'));
  expect(data.map((line) => JSON.parse(line.slice(5)))).toEqual([
    { type: 'transcript.text.delta', delta: 'Guten Tag.' },
    done('Guten Tag.'),
  ]);
  expect(text).toContain(': place 1\n\n: 1.5 of 7.6 s\n\n');
  await local.stop();
});

test('Repeats the place in the queue until the job begins', async () => {
  const { engine, started, finish } = scriptEngine();
  const local = await startSpeechApp({}, { engine, queueRepeatMs: 20 });
  const answer = postRecording(local.url, recordingForm(wav, WITH_PROGRESS));
  (await started).onQueue?.(3);
  const events = readEvents(await answer);
  const queued = { value: { type: 'transcript.queued', place: 3 } };
  for (let at = 0; at < 3; at += 1) expect(await events.next()).toMatchObject(queued);
  finish();
  expect((await Array.fromAsync(events)).at(-1)).toEqual(done('Guten Tag.'));
  await local.stop();
});

test('Cancels a queued job when its caller disconnects', async () => {
  const { engine, started } = scriptEngine();
  const local = await startSpeechApp({}, { engine });
  const caller = new AbortController();
  const request = { method: 'POST', body: recordingForm(wav, WITH_PROGRESS), headers: USER, signal: caller.signal };
  const answer = fetch(`${local.url}/v1/audio/transcriptions`, request);
  const { onQueue, signal } = await started;
  onQueue?.(1);
  await readEvents(await answer).next();
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  caller.abort();
  await aborted;
  await local.stop();
});
