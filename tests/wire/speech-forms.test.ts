import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  fixture,
  postRecording,
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
const MAX_BYTES = 400_000;

beforeAll(async () => {
  service = await startTranscriptionService();
  app = await startSpeechApp(
    {
      TRANSCRIPTION_URL: `${service.url}/openai/audio/transcriptions?api-version=2024-06-01`,
      TRANSCRIPTION_KEY: 'azure-key',
      TRANSCRIPTION_AUTH_HEADER: 'api-key',
      TRANSCRIPTION_MODEL: 'whisper-large-v3',
      LIMIT_RECORDING_BYTES: String(MAX_BYTES),
    },
    { limits: { callsPerMinute: 1_000, bytesPerMinute: 1e9 } },
  );
  wav = await fixture('sprache.wav');
});
afterAll(async () => {
  await app.stop();
  await service.stop();
});
beforeEach(() => service.reset());

async function getCode(response: Response): Promise<unknown> {
  const body: unknown = await response.json();
  expect(body).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } });
  return [response.status, (body as { error: { code: string } }).error.code];
}

const raw = (body: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${app.url}/v1/audio/transcriptions`, { method: 'POST', body, headers: { ...USER, ...headers } });

test('Uses a whole address, the api-key header and the operator’s model as configured', async () => {
  await postRecording(app.url, recordingForm(wav, { model: 'something-expensive' }));
  expect(service.calls()[0]).toMatchObject({
    path: '/v1/openai/audio/transcriptions?api-version=2024-06-01',
    authorization: undefined,
    apiKey: 'azure-key',
    fields: { model: 'whisper-large-v3' },
    faults: [],
  });
});

test.each([
  ['aufnahme.wav', 'sprache.wav', 'recording.wav'],
  ['aufnahme.WAV', 'sprache.wav', 'recording.wav'],
  ['aufnahme.ogg', 'sprache.ogg', 'recording.ogg'],
  ['aufnahme.oga', 'sprache.ogg', 'recording.oga'],
  ['aufnahme.webm', 'sprache.webm', 'recording.webm'],
  // Services go by the name: one that contradicts the bytes is put right.
  ['aufnahme.mp3', 'sprache.ogg', 'recording.ogg'],
])('Sends %s holding %s as %s (§9)', async (filename, name, expected) => {
  const response = await postRecording(app.url, recordingForm(wav, { filename, file: await fixture(name) }));
  expect(response.status).toBe(200);
  expect(service.calls()[0]).toMatchObject({ filename: expected, faults: [] });
});

test('Reads fields that follow the file (§7)', async () => {
  const form = new FormData();
  form.set('file', new Blob([wav]), 'aufnahme.wav');
  form.set('language', 'en');
  form.set('response_format', 'text');
  const response = await postRecording(app.url, form);
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(await response.text()).toBe(SPOKEN_TEXT);
  expect(service.calls()[0]).toMatchObject({ fields: { language: 'en', response_format: 'json' }, faults: [] });
});

test('Ignores fields that only OpenAI knows', async () => {
  const fields = { temperature: '0', 'timestamp_granularities[]': 'segment', 'include[]': 'logprobs' };
  const response = await postRecording(app.url, recordingForm(wav, { fields }));
  expect(await response.json()).toEqual({ text: SPOKEN_TEXT });
  expect(Object.keys(service.calls()[0]?.fields ?? {})).toEqual(['model', 'response_format', 'language']);
});

test('Passes times on to callers that ask for them', async () => {
  const timed = await startSpeechApp({ TRANSCRIPTION_URL: service.url, TRANSCRIPTION_TIMES: 'true' });
  try {
    const verbose = await postRecording(timed.url, recordingForm(wav, { format: 'verbose_json' }));
    const [first] = SPOKEN_TEXT.split(/(?<=\.) /);
    expect(await verbose.json()).toMatchObject({
      text: SPOKEN_TEXT,
      segments: [
        { id: 0, start: 0, end: 0.5, text: first },
        { id: 1, start: 0.5, end: 1 },
        { id: 2, start: 1, end: 1 },
      ],
    });
    expect(service.calls()[0]).toMatchObject({ fields: { response_format: 'verbose_json' }, faults: [] });
    const plain = await postRecording(timed.url, recordingForm(wav));
    expect(await plain.json()).toEqual({ text: SPOKEN_TEXT });
  } finally {
    await timed.stop();
  }
  const without = await postRecording(app.url, recordingForm(wav, { format: 'verbose_json' }));
  expect(await without.json()).toEqual({
    task: 'transcribe',
    language: 'de',
    text: SPOKEN_TEXT,
    segments: [],
  });
});

test('§2.6 gives no words for what a model writes where nobody speaks', async () => {
  const body = JSON.stringify({
    text: ' Untertitel der Amara.org-Community',
    segments: [{ start: 0, text: '[Musik]' }],
  });
  service.behave({ kind: 'answer', status: 200, body });
  const response = await postRecording(app.url, recordingForm(wav, { format: 'verbose_json' }));
  expect(await response.json()).toMatchObject({ text: '', segments: [] });
});

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);

test.each([
  ['no file', { file: undefined }, [400, 'missing_file']],
  ['an empty file', { file: bytes('') }, [400, 'empty_file']],
  ['a corrupt recording', { file: bytes('RIFF, but not really a recording') }, [415, 'unsupported_audio']],
  ['a picture called wav', { file: PNG }, [415, 'unsupported_audio']],
  ['a page called webm', { file: bytes('<html><script>'), filename: 'a.webm' }, [415, 'unsupported_audio']],
  ['audio called txt', { filename: 'aufnahme.txt' }, [415, 'unsupported_audio']],
  ['audio without extension', { filename: 'aufnahme' }, [415, 'unsupported_audio']],
  ['a language that is none', { language: 'de-DE; x' }, [400, 'invalid_language']],
  ['a format it does not speak', { format: 'srt' }, [400, 'invalid_response_format']],
])('Refuses %s (§5)', async (_name, changes, expected) => {
  const response = await postRecording(app.url, recordingForm(wav, changes));
  expect(await getCode(response)).toEqual(expected);
  expect(service.calls()).toHaveLength(0);
});

test.each([
  ['JSON', '{}', { 'content-type': 'application/json' }, [415, 'unsupported_content_type']],
  ['no boundary', 'x', { 'content-type': 'multipart/form-data' }, [415, 'unsupported_content_type']],
  [
    'another boundary',
    '--a\r\n\r\n',
    { 'content-type': 'multipart/form-data; boundary=b' },
    [400, 'malformed_multipart'],
  ],
  [
    'an unusable key',
    '',
    { 'content-type': 'multipart/form-data; boundary=b', 'x-transcription-key': 'a b' },
    [400, 'invalid_key'],
  ],
])('Refuses %s (§7)', async (_name, body, headers, expected) => {
  expect(await getCode(await raw(body, headers))).toEqual(expected);
});

test('Refuses a form that breaks off within its file, without counting a call (§7)', async () => {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  const response = await fetch(`${app.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { ...USER, 'content-type': 'multipart/form-data; boundary=b' },
    body: new Blob([head, wav]),
  });
  expect(await getCode(response)).toEqual([400, 'malformed_multipart']);
  await service.until(() => service.aborted() === 1);
  expect(service.calls()).toHaveLength(0);
});

test('Refuses a recording declared too large before reading it (D19)', async () => {
  const response = await postRecording(app.url, recordingForm(wav, { file: new Uint8Array(MAX_BYTES + 100_000) }));
  expect(await getCode(response)).toEqual([413, 'file_too_large']);
  expect(service.received()).toBe(0);
});

test('Refuses a recording at the byte that passes the limit (D19)', async () => {
  const large = new Uint8Array(MAX_BYTES + 1);
  large.set(wav);
  const response = await postRecording(app.url, recordingForm(wav, { file: large }));
  expect(await getCode(response)).toEqual([413, 'file_too_large']);
  expect(service.calls()).toHaveLength(0);
});

test('Ends an endless body of unknown length with 413 (threat 10)', async () => {
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(head));
      controller.enqueue(wav);
    },
    pull: (controller) => {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  const init = {
    method: 'POST',
    body: endless,
    duplex: 'half',
    headers: { ...USER, 'content-type': 'multipart/form-data; boundary=b' },
  };
  const response = await fetch(`${app.url}/v1/audio/transcriptions`, init);
  expect(await getCode(response)).toEqual([413, 'file_too_large']);
  expect(sent).toBeLessThan(20 * MAX_BYTES);
  expect(service.calls()).toHaveLength(0);
});
