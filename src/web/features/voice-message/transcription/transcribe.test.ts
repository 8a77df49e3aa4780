import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Answer, SendOutcome, SendRequest } from '#web/backend/send-form.ts';
import { transcribe, type TranscribeRequest, type TranscriptionError } from './transcribe.ts';
import { TRANSCRIPTION_TEXTS, transcriptionMessage } from './texts.ts';

const recording = { blob: new Blob(['x'], { type: 'audio/webm' }), extension: 'webm' };

async function asked(outcome: SendOutcome, changes: Partial<TranscribeRequest> = {}) {
  const requests: SendRequest[] = [];
  const result = await transcribe({
    recording,
    accessToken: 'token',
    send: async (request) => {
      requests.push(request);
      return outcome;
    },
    ...changes,
  });
  const [request] = requests;
  if (request === undefined) throw new Error('nothing was sent');
  return { result, request };
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): SendOutcome {
  const given: Answer = {
    status,
    statusText: status === 502 ? 'Bad Gateway' : '',
    header: (name) => headers[name] ?? null,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
  return { kind: 'answer', answer: given };
}

const failure = (code: string, message = 'words for developers'): object => ({ error: { message, code, type: 'x' } });

test('Sends file with extension, model and language to the own server, 60 s (§7)', async () => {
  const { result, request } = await asked(answer(200, { text: ' Guten Tag. ' }));
  expect(result).toEqual({ ok: true, text: 'Guten Tag.', segments: [] });
  expect(request.form.get('response_format')).toBe('json');
  expect(request).toMatchObject({ url: '/v1/audio/transcriptions', timeoutMs: 60_000 });
  expect(request.headers).toEqual({ authorization: 'Bearer token' });
  expect([...request.form.keys()]).toEqual(['model', 'language', 'response_format', 'file']);
  expect(request.form.get('model')).toBe('whisper-1');
  expect(request.form.get('language')).toBe('de');
  expect((request.form.get('file') as File).name).toBe('aufnahme.webm');
});

test('Names what is likely to be spoken', async () => {
  const { request } = await asked(answer(200, { text: 'Guten Tag.' }), { prompt: 'Firma A' });
  expect(request.form.get('prompt')).toBe('Firma A');
});

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };

test('Asks for the text as it grows, and takes the last event as the result', async () => {
  const shown: unknown[] = [];
  const body = event({ type: 'transcript.text.delta', delta: 'Guten' });
  const done = { type: 'transcript.text.done', text: ' Guten Tag. ', segments: [{ start: 0.5, text: 'Guten Tag.' }] };
  const { result, request } = await asked(answer(200, body + event(done), STREAM), {
    onText: (progress) => shown.push(progress),
    times: true,
  });
  expect([request.form.get('stream'), request.form.get('progress')]).toEqual(['true', 'true']);
  request.onBody?.(body);
  expect(shown).toEqual([{ text: 'Guten' }]);
  expect(result).toEqual({ ok: true, text: 'Guten Tag.', segments: [{ start: 0.5, text: 'Guten Tag.' }] });
});

test.each([
  ['an error event', event(failure('service_timeout')), { kind: 'timeout' }],
  ['an error event with words of the service', event(failure('service_error', 'kaputt')), { message: 'kaputt' }],
  ['no last event', event({ type: 'transcript.text.delta', delta: 'Guten' }), { kind: 'service' }],
])('Reports a stream with %s', async (_name, body, error) => {
  const { result } = await asked(answer(200, body, STREAM), { onText: () => undefined });
  expect(result).toMatchObject({ ok: false, error });
});

test('Sends WAV where the server does not read the type, and keeps the recording as it was', async () => {
  const sent: SendRequest[] = [];
  const answers = [answer(415, failure('audio_needs_wav')), answer(200, { text: 'Guten Tag.' })];
  const result = await transcribe({
    recording: { blob: new Blob(['x'], { type: 'audio/mp4' }), extension: 'mp4' },
    accessToken: 'token',
    convert: async () => new Blob(['RIFF'], { type: 'audio/wav' }),
    send: async (request) => {
      sent.push(request);
      return answers[sent.length - 1] ?? { kind: 'network' };
    },
  });
  expect(result).toMatchObject({ ok: true, text: 'Guten Tag.' });
  expect(sent.map(({ form }) => (form.get('file') as File).name)).toEqual(['aufnahme.mp4', 'aufnahme.wav']);
});

test('Says that the format is not supported where the browser cannot decode it either', async () => {
  const { result } = await asked(answer(415, failure('audio_needs_wav')), {
    convert: () => Promise.reject(new Error('no decoder')),
  });
  expect(result).toEqual({ ok: false, error: { kind: 'unsupported' } });
});

test.each([
  ['00:30', 'heute um 02:00 Uhr'],
  ['02:30', 'morgen um 02:00 Uhr'],
])('Says at %s that the transcriptions of the day are used up until %s', async (now, until) => {
  const { result } = await asked(answer(429, failure('daily_limit_reached'), { 'retry-after': '50400' }));
  expect(result).toMatchObject({ error: { kind: 'used-up' } });
  vi.stubEnv('TZ', 'Europe/Berlin');
  onTestFinished(() => void vi.useRealTimers().unstubAllEnvs());
  vi.useFakeTimers({ now: Date.parse(`2026-07-01T${now}+02:00`), toFake: ['Date'] });
  if (!result.ok) expect(transcriptionMessage(result.error)).toContain(`verbraucht. Ab ${until} geht es wieder`);
});

test.each([
  ['queue_full', 'busy', 'warten schon zu viele'],
  ['audio_too_long', 'too-long', 'länger als eine Stunde'],
  ['model_unusable', 'model', 'beschädigt'],
  ['engine_out_of_memory', 'memory', 'zu wenig Speicher'],
  ['engine_missing', 'no-engine', 'läuft die Spracherkennung nicht'],
  ['engine_crashed', 'crash', 'abgestürzt'],
])('Names a failure of the local engine: %s', async (code, kind, words) => {
  const { result } = await asked(answer(503, failure(code)));
  expect(result).toMatchObject({ error: { kind } });
  if (!result.ok) expect(transcriptionMessage(result.error)).toContain(words);
});

test('desk: asked for times it passes on those the service knows, and none where it knows none', async () => {
  const segments = [{ id: 0, start: 0, end: 1, text: ' Guten Tag.' }];
  const { result, request } = await asked(answer(200, { text: 'Guten Tag.', segments }), { times: true });
  expect(request.form.get('response_format')).toBe('verbose_json');
  expect(result).toMatchObject({ segments: [{ start: 0, text: 'Guten Tag.' }] });
  const without = await asked(answer(200, { text: 'Guten Tag.', segments: null }), { times: true });
  expect(without.result).toMatchObject({ ok: true, segments: [] });
});

test('Sends the keys where there are any (D12, D9)', async () => {
  const keys = { accessToken: undefined, interviewKey: 'contribution', ownKey: 'sk-own' };
  const { request } = await asked(answer(200, { text: 'x' }), keys);
  expect(request.headers).toEqual({ 'x-interview-key': 'contribution', 'x-transcription-key': 'sk-own' });
});

test.each(['sk–own', 'sk-\u200bown', 'sk-\nown'])(
  'A key that no header takes is no valid one: %j (D12)',
  async (ownKey) => {
    const send = async ({ headers }: SendRequest) => {
      // As XMLHttpRequest refuses it.
      expect(new Headers({ key: headers['x-transcription-key'] ?? '' }).has('key')).toBe(true);
      return answer(200, { text: 'x' });
    };
    const result = await transcribe({ recording, accessToken: undefined, ownKey, send });
    expect(result).toEqual({ ok: false, error: { kind: 'missing-key' } });
  },
);

test.each<[string, SendOutcome, TranscriptionError]>([
  [
    'no service',
    answer(503, failure('transcription_unavailable')),
    { kind: 'unavailable', status: 503, statusText: '' },
  ],
  ['no key', answer(502, failure('missing_api_key')), { kind: 'missing-key', status: 502, statusText: 'Bad Gateway' }],
  [
    'a wrong key',
    answer(502, failure('invalid_api_key')),
    { kind: 'missing-key', status: 502, statusText: 'Bad Gateway' },
  ],
  ['a login that has ended', answer(401, failure('invalid_token')), { kind: 'rejected', status: 401, statusText: '' }],
  ['too large', answer(413, failure('file_too_large')), { kind: 'too-large', status: 413, statusText: '' }],
  ['no audio', answer(415, failure('unsupported_audio')), { kind: 'unsupported', status: 415, statusText: '' }],
  ['the service is silent', answer(504, failure('service_timeout')), { kind: 'timeout', status: 504, statusText: '' }],
  ['60 s are over', { kind: 'timeout' }, { kind: 'timeout' }],
  ['no net', { kind: 'network' }, { kind: 'network' }],
  ['the user went on', { kind: 'aborted' }, { kind: 'aborted' }],
  ['nothing was said', answer(200, { text: '  ' }), { kind: 'empty' }],
  ['garbage', answer(200, '<html>'), { kind: 'service' }],
  ['no text', answer(200, {}), { kind: 'service' }],
  [
    'the service says why',
    answer(422, failure('service_rejected', 'Audio file is too short')),
    { kind: 'service', status: 422, statusText: '', message: 'Audio file is too short' },
  ],
  [
    'too many at once',
    answer(429, failure('rate_limited'), { 'retry-after': '17' }),
    { kind: 'service', status: 429, statusText: '', retryAfterS: 17 },
  ],
  ['a proxy’s page', answer(502, '<html>'), { kind: 'service', status: 502, statusText: 'Bad Gateway' }],
])('Transcription error: %s (§8)', async (_name, outcome, error) => {
  expect((await asked(outcome)).result).toEqual({ ok: false, error });
});

describe('§8 texts', () => {
  test.each<[TranscriptionError, string]>([
    [{ kind: 'service', status: 502, statusText: 'Bad Gateway' }, 'Fehler bei der Transkription: 502 Bad Gateway'],
    [{ kind: 'service', status: 500, statusText: '' }, 'Fehler bei der Transkription: 500'],
    [{ kind: 'service', message: 'Audio file is too short', status: 422 }, 'Audio file is too short'],
    [{ kind: 'service' }, 'Transkription ist fehlgeschlagen'],
    [{ kind: 'service', message: ' ' }, 'Transkription ist fehlgeschlagen'],
    [{ kind: 'aborted' }, 'Transkription ist fehlgeschlagen'],
  ])('%o reads: %s', (error, text) => {
    expect(transcriptionMessage(error)).toBe(text);
  });

  test.each([
    [1, 'in 1 Sekunde noch'],
    [17, '17 Sekunden'],
    [3_600, '60 Minuten'],
  ])('Says in words to wait %s s', (retryAfterS, words) => {
    expect(transcriptionMessage({ kind: 'service', status: 429, retryAfterS })).toContain(words);
  });

  test('titles to the letter', () => {
    expect(TRANSCRIPTION_TEXTS).toMatchObject({
      title: 'Transkriptionsfehler',
      alert: 'Fehler bei der Transkription',
      failed: {
        title: 'Transkription fehlgeschlagen',
        description: 'Die Sprachnachricht konnte nicht verarbeitet werden.',
      },
      uploadFailed: {
        title: 'Upload fehlgeschlagen',
        description: 'Es gab ein Problem beim Verarbeiten Ihrer Sprachnachricht.',
      },
    });
  });
});
