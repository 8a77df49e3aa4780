import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTranscriptionQuota } from '#server/speech/access.ts';
import { SpeechError } from '#server/speech/errors.ts';
import { fixture, postRecording, recordingForm, startSpeechApp } from '#tests/support/speech-app.ts';
import { startTranscriptionService, type TranscriptionService } from '#tests/support/transcription-service.ts';

let service: TranscriptionService;
let wav: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTranscriptionService();
  wav = await fixture('sprache.wav');
});
afterAll(() => service.stop());
beforeEach(() => service.reset());

/** Limits count by the minute and the day of the clock, and neither may turn within a test. */
const now = (): number => 0;

const as = (name: string): Record<string, string> => ({ authorization: `Bearer user-${name}` });
const getCode = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { error: { code: string } }).error.code;

test('Answers a flood from one caller with 429 and Retry-After, and serves others (threat 7)', async () => {
  const app = await startSpeechApp({ TRANSCRIPTION_URL: service.url }, { limits: { callsPerMinute: 3 }, now });
  const flood = await Promise.all(
    Array.from({ length: 20 }, () => postRecording(app.url, recordingForm(wav), as('a'))),
  );
  expect(flood.filter((response) => response.status === 200)).toHaveLength(3);
  const refused = flood.find((response) => response.status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(service.calls()).toHaveLength(3);
  expect((await postRecording(app.url, recordingForm(wav), as('b'))).status).toBe(200);
  await app.stop();
});

test('Sends the service no more than the day allows when many callers send at once (threat 7)', async () => {
  const cap = Math.floor(3.5 * wav.byteLength);
  const app = await startSpeechApp(
    { TRANSCRIPTION_URL: service.url, TRANSCRIPTION_DAILY_BYTES: String(cap) },
    { limits: { callerBytesPerDay: cap }, now },
  );
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, index) => postRecording(app.url, recordingForm(wav), as(String(index)))),
  );
  const spent = service.calls().reduce((sum, call) => sum + call.bytes.byteLength, 0);
  expect(spent).toBeLessThanOrEqual(cap);
  expect(spent).toBeGreaterThan(0);
  const refused = responses.find((response) => response.status === 429);
  expect(refused && (await getCode(refused))).toBe('daily_limit_reached');
  // D12: a caller's own key is at the caller's own cost.
  const own = { ...as('z'), 'x-transcription-key': 'own' };
  expect((await postRecording(app.url, recordingForm(wav), own)).status).toBe(200);
  await app.stop();
});

test('Guests leave a quarter of the day to logins, from however many networks they come (threat 7)', () => {
  const limits = { callsPerMinute: 1_000, bytesPerMinute: 1e9, callerBytesPerDay: 25, bytesPerDay: 100 };
  const quota = createTranscriptionQuota(limits, now);
  const reserve = (...callers: string[]): string => {
    try {
      quota.reserve(callers, 25, true);
      return 'allowed';
    } catch (error) {
      return error instanceof SpeechError ? error.code : String(error);
    }
  };
  const guests = [1, 2, 3, 4].map((guest) => reserve(`key:${guest}`, `address:${guest}`));
  expect(guests).toEqual(['allowed', 'allowed', 'allowed', 'daily_limit_reached']);
  expect([reserve('user:a'), reserve('user:b')]).toEqual(['allowed', 'daily_limit_reached']);
});

test('Leaves the rest of the day to others when one caller used up its share (threat 7)', async () => {
  const app = await startSpeechApp(
    { TRANSCRIPTION_URL: service.url, TRANSCRIPTION_DAILY_BYTES: String(wav.byteLength * 8) },
    { now },
  );
  expect((await postRecording(app.url, recordingForm(wav), as('a'))).status).toBe(200);
  expect(await getCode(await postRecording(app.url, recordingForm(wav), as('a')))).toBe('daily_limit_reached');
  expect((await postRecording(app.url, recordingForm(wav), as('b'))).status).toBe(200);
  await app.stop();
});

test('Counts nothing against the day for a call refused before the service (threat 7)', async () => {
  const app = await startSpeechApp(
    { TRANSCRIPTION_URL: service.url, TRANSCRIPTION_DAILY_BYTES: String(wav.byteLength * 5) },
    { limits: { callsPerMinute: 100 }, now },
  );
  for (let attempt = 0; attempt < 10; attempt++) {
    const refused = await postRecording(app.url, recordingForm(wav, { filename: 'a.txt' }), as('a'));
    expect(refused.status).toBe(415);
  }
  expect((await postRecording(app.url, recordingForm(wav), as('a'))).status).toBe(200);
  await app.stop();
});
