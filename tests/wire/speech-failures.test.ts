import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TRANSCRIPTION_TIMEOUT_MS } from '#contract/limits.ts';
import {
  fixture,
  postRecording,
  recordingForm,
  startSpeechApp,
  USER,
  type SpeechApp,
} from '#tests/support/speech-app.ts';
import {
  startTranscriptionService,
  type Behaviour,
  type TranscriptionService,
} from '#tests/support/transcription-service.ts';

let service: TranscriptionService;
let wav: Uint8Array<ArrayBuffer>;
let app: SpeechApp;
const SECRET = 'sk-very-secret';
const roomy = { callsPerMinute: 10_000, bytesPerMinute: 1e12 };

beforeAll(async () => {
  service = await startTranscriptionService();
  wav = await fixture('sprache.wav');
  app = await startSpeechApp({ TRANSCRIPTION_URL: service.url, TRANSCRIPTION_KEY: SECRET }, { limits: roomy });
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});
beforeEach(() => service.reset());

async function failure(
  response: Response,
): Promise<{ status: number; code: string; message: string; retryAfter: string | null }> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return {
    status: response.status,
    code: error.code,
    message: error.message,
    retryAfter: response.headers.get('retry-after'),
  };
}

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour => ({
  kind: 'answer',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers,
});

describe('Relays the message of each shape of error body', () => {
  test.each([
    [
      'OpenAI',
      { error: { message: 'Audio file is too short', type: 'invalid_request_error' } },
      'Audio file is too short',
    ],
    ['whisper.cpp', { error: 'failed to read WAV file' }, 'failed to read WAV file'],
    ['LocalAI, Groq', { message: 'model not loaded' }, 'model not loaded'],
    ['FastAPI', { detail: 'Unsupported sample rate' }, 'Unsupported sample rate'],
    [
      'FastAPI validation',
      { detail: [{ loc: ['file'], msg: 'field required' }, { msg: 'and more' }] },
      'field required; and more',
    ],
  ])('%s', async (_name, body, message) => {
    service.behave(answer(400, body));
    expect(await failure(await postRecording(app.url, recordingForm(wav)))).toEqual({
      status: 422,
      code: 'service_rejected',
      message,
      retryAfter: null,
    });
  });

  test('Hides the HTML page of a proxy (§7)', async () => {
    service.behave(answer(502, '<html><h1>502 Bad Gateway</h1></html>', { 'content-type': 'text/html' }));
    const result = await failure(await postRecording(app.url, recordingForm(wav)));
    expect(result).toMatchObject({ status: 502, code: 'service_error' });
    expect(result.message).not.toContain('<');
  });
});

test.each([
  ['500', answer(500, { error: { message: 'The server had an error' } }), [502, 'service_error']],
  ['401', answer(401, { error: { message: `Incorrect API key provided: ${SECRET}` } }), [502, 'invalid_api_key']],
  ['403', answer(403, {}), [502, 'invalid_api_key']],
  ['404', answer(404, 'not here'), [502, 'service_error']],
  ['413', answer(413, { error: { message: 'Maximum content size limit exceeded' } }), [413, 'file_too_large']],
  ['415', answer(415, {}), [415, 'unsupported_audio']],
  ['429', answer(429, { error: { message: 'Rate limit reached' } }), [429, 'service_rate_limited']],
  ['504', answer(504, ''), [504, 'service_timeout']],
  ['a redirect', answer(302, '', { location: 'http://127.0.0.1:9/' }), [502, 'service_error']],
  ['200 with garbage', answer(200, '{"text": "Guten'), [502, 'service_error']],
  ['200 without text', answer(200, { segments: [] }), [502, 'service_error']],
  ['200 with HTML', answer(200, '<html>'), [502, 'service_error']],
  ['200 without end of text', answer(200, `{"text":"${'x'.repeat(3_000_000)}"}`), [502, 'service_error']],
  ['a cut connection', { kind: 'cut' }, [502, 'service_unreachable']],
] satisfies [string, Behaviour, [number, string]][])(
  'Maps an answer of the service: %s',
  async (_name, behaviour, [status, code]) => {
    service.behave(behaviour);
    const result = await failure(await postRecording(app.url, recordingForm(wav)));
    expect([result.status, result.code]).toEqual([status, code]);
    expect(result.message).not.toContain(SECRET);
  },
);

test('Relays Retry-After of a 429, in seconds or as a date', async () => {
  service.behave(answer(429, {}, { 'retry-after': '17' }));
  expect(await failure(await postRecording(app.url, recordingForm(wav)))).toMatchObject({ retryAfter: '17' });
  service.behave(answer(429, {}, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }));
  const { retryAfter } = await failure(await postRecording(app.url, recordingForm(wav)));
  expect(Number(retryAfter)).toBeGreaterThan(3_000);
});

test('Accepts an answer that comes before the recording was read', async () => {
  service.behave({ kind: 'early' });
  const large = new Uint8Array(8_000_000);
  large.set(wav);
  expect(await failure(await postRecording(app.url, recordingForm(wav, { file: large })))).toMatchObject({
    status: 429,
    code: 'service_rate_limited',
    retryAfter: '7',
  });
});

test('Answers 502 when the service cannot be reached', async () => {
  const lost = await startSpeechApp({ TRANSCRIPTION_URL: 'http://127.0.0.1:9/v1' });
  expect(await failure(await postRecording(lost.url, recordingForm(wav)))).toMatchObject({
    code: 'service_unreachable',
  });
  expect(lost.log()).toContain('ECONNREFUSED');
  await lost.stop();
});

test('Reports a missing key when the service requires one', async () => {
  const keyless = await startSpeechApp({ TRANSCRIPTION_URL: service.url });
  service.behave(answer(401, { error: { message: 'You didn’t provide an API key.' } }));
  expect(await failure(await postRecording(keyless.url, recordingForm(wav)))).toMatchObject({
    code: 'missing_api_key',
  });
  expect(service.calls()[0]?.authorization).toBeUndefined();
  await keyless.stop();
});

describe('§9 time-outs', () => {
  afterEach(() => void vi.useRealTimers());

  /** Nothing is aborted where the connection to the service is not made before. */
  async function passOnce(isConnected: () => boolean, ms: number): Promise<void> {
    await service.until(isConnected);
    vi.advanceTimersByTime(ms);
  }

  test('Answers 504 and aborts the request when the service never answers (§9)', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    service.behave({ kind: 'hang' });
    const answered = postRecording(app.url, recordingForm(wav));
    await passOnce(() => service.calls().length === 1, TRANSCRIPTION_TIMEOUT_MS);
    expect(await failure(await answered)).toMatchObject({ status: 504, code: 'service_timeout' });
    await service.until(() => service.aborted() === 1);
  });

  test('Answers 504 when the service does not read (§9)', async () => {
    const hasty = await startSpeechApp({ TRANSCRIPTION_URL: service.url }, { timeoutMs: 150 });
    service.behave({ kind: 'deaf' });
    const large = new Uint8Array(20_000_000);
    large.set(wav);
    expect(await failure(await postRecording(hasty.url, recordingForm(wav, { file: large })))).toMatchObject({
      status: 504,
      code: 'service_timeout',
    });
    await hasty.stop();
  });

  test('Answers 408 and aborts the request when a recording arrives too slowly', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const hasty = await startSpeechApp({ TRANSCRIPTION_URL: service.url }, { uploadTimeoutMs: 2_000 });
    const { socket, answered } = halfARecording(hasty.url);
    await passOnce(() => service.received() > 0, 2_000);
    expect(await answered).toContain('upload_timeout');
    await service.until(() => service.aborted() === 1);
    socket.destroy();
    await hasty.stop();
  });
});

test('Aborts the request to the service when the caller disconnects (§9)', async () => {
  service.behave({ kind: 'hang' });
  const caller = new AbortController();
  const call = fetch(`${app.url}/v1/audio/transcriptions`, {
    method: 'POST',
    body: recordingForm(wav),
    headers: USER,
    signal: caller.signal,
  });
  call.catch(() => undefined);
  await service.until(() => service.calls().length === 1);
  caller.abort();
  await service.until(() => service.aborted() === 1);
  await expect(call).rejects.toThrow('abort');
});

test('Streams the recording: the service has the first half before the second is sent', async () => {
  const { socket } = halfARecording(app.url);
  await service.until(() => service.received() > wav.byteLength / 2 - 70_000);
  expect(service.calls()).toHaveLength(0);
  socket.destroy();
  await service.until(() => service.aborted() === 1);
});

/** A caller that stops in the middle of its recording. */
function halfARecording(url: string): { socket: ReturnType<typeof connect>; answered: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  socket.write(
    `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${USER.authorization}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${wav.byteLength + 500}\r\n\r\n${head}`,
  );
  socket.write(wav.subarray(0, wav.byteLength / 2));
  const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString('utf8'))));
  socket.on('error', () => undefined);
  return { socket, answered };
}

test('Logs neither key nor text nor the service’s message (threat 6)', async () => {
  service.behave({ kind: 'text', text: 'Das Geheimnis der Prüfmaschine' });
  await postRecording(app.url, recordingForm(wav), { ...USER, 'x-transcription-key': 'own-secret-key' });
  service.behave(answer(400, { error: { message: `Anna said it, with ${SECRET}` } }));
  const result = await failure(await postRecording(app.url, recordingForm(wav)));
  expect(result.message).toBe('Anna said it, with …');
  expect(app.log()).toContain('transcribed');
  expect(app.log()).toContain('service_rejected');
  expect(app.log()).not.toMatch(/sk-very-secret|own-secret-key|user-1|Geheimnis|Anna/);
});
