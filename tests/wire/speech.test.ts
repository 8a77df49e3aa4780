import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createAccount, type Account } from '#tests/support/callers.ts';
import { fixture, postRecording, recordingForm } from '#tests/support/speech-app.ts';
import {
  SPOKEN_TEXT,
  startTranscriptionService,
  type TranscriptionService,
} from '#tests/support/transcription-service.ts';
import { loginHeaders } from '#tests/support/voice-client.ts';

let service: TranscriptionService;
let server: TestServer;
let wav: Uint8Array<ArrayBuffer>;
let account: Account;
let user: { authorization: string };

beforeAll(async () => {
  service = await startTranscriptionService();
  server = await bootServer({ TRANSCRIPTION_URL: service.url, TRANSCRIPTION_KEY: 'server-key' });
  wav = await fixture('sprache.wav');
  account = await createAccount(server.databaseUrl, 'firma_a');
  user = { authorization: `Bearer ${await tokenFor(account.id)}` };
});
afterAll(async () => {
  await server.stop();
  await service.stop();
});
beforeEach(() => service.reset());

async function tokenFor(sub: string, lifetimeS = 600): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const { keys } = server.backend;
  return keys.sign({
    sub,
    role: 'authenticated',
    aud: 'authenticated',
    iss: keys.issuer,
    iat: now,
    exp: now + lifetimeS,
  });
}

async function readBody(response: Response): Promise<unknown> {
  return { status: response.status, body: await response.json() };
}

test('Transcribes for a logged-in user who sends file, model and language (§7)', async () => {
  const response = await postRecording(server.url, recordingForm(wav), user);
  expect(await readBody(response)).toEqual({ status: 200, body: { text: SPOKEN_TEXT } });
  expect(response.headers.get('cache-control')).toBe('no-store');
  const [call] = service.calls();
  expect(call).toMatchObject({
    path: '/v1/audio/transcriptions',
    authorization: 'Bearer server-key',
    filename: 'recording.wav',
    fields: { model: 'whisper-1', language: 'de', response_format: 'json' },
    faults: [],
  });
  expect(Buffer.from(call?.bytes ?? []).equals(Buffer.from(wav))).toBe(true);
});

test('Uses the key of the caller instead of the server’s (D12)', async () => {
  await postRecording(server.url, recordingForm(wav), { ...user, 'x-transcription-key': 'my-own-key' });
  expect(service.calls()[0]).toMatchObject({ authorization: 'Bearer my-own-key', faults: [] });
});

test('Hides the caller’s token and file name from the service (D12)', async () => {
  await postRecording(server.url, recordingForm(wav, { filename: 'Interview mit Frau Meier.wav' }), user);
  expect(JSON.stringify(service.calls().map((call) => ({ ...call, bytes: undefined })))).not.toMatch(/Meier|eyJ/);
});

test('Refuses callers without a login (D12)', async () => {
  const anonymous = await postRecording(server.url, recordingForm(wav), {});
  expect(await readBody(anonymous)).toMatchObject({ status: 401, body: { error: { code: 'not_authenticated' } } });
  const withPublicKey = await postRecording(server.url, recordingForm(wav), {
    apikey: server.backend.keys.publishableKey,
  });
  expect(withPublicKey.status).toBe(401);
  expect(service.calls()).toHaveLength(0);
});

test('Refuses a login without a role, with or without a service (§6)', async () => {
  const plain = await bootServer();
  try {
    for (const { url, databaseUrl, backend } of [server, plain]) {
      const headers = await loginHeaders(backend.keys, await createAccount(databaseUrl));
      const refused = await postRecording(url, recordingForm(wav), headers);
      expect(await readBody(refused)).toMatchObject({ status: 401, body: { error: { code: 'not_authenticated' } } });
    }
    expect(service.calls()).toHaveLength(0);
  } finally {
    await plain.stop();
  }
});

test('Refuses an unknown interview key (D9)', async () => {
  const response = await postRecording(server.url, recordingForm(wav), {
    'x-interview-key': randomBytes(32).toString('base64url'),
  });
  expect(response.status).toBe(401);
  expect(service.calls()).toHaveLength(0);
});

test('Transcribes for the holder of a contribution’s key (D9)', async () => {
  const headers = { 'x-interview-key': randomBytes(32).toString('base64url') };
  const contributor = { role: 'anon', claims: { role: 'anon' }, method: 'POST', path: '/interviews', headers };
  await server.backend.database.asCaller(contributor, (tx) =>
    tx.query('insert into public.interviews (created_at) values (now()) returning id'),
  );
  const response = await postRecording(server.url, recordingForm(wav), headers);
  expect(await readBody(response)).toEqual({ status: 200, body: { text: SPOKEN_TEXT } });
});

test('Distinguishes an expired token from a missing one (§7)', async () => {
  const expired = await tokenFor(account.id, -120);
  const response = await postRecording(server.url, recordingForm(wav), { authorization: `Bearer ${expired}` });
  expect(await readBody(response)).toMatchObject({ status: 401, body: { error: { code: 'invalid_token' } } });
});

test('Reports a missing service in its answer and in /config.json (D21)', async () => {
  const plain = await bootServer();
  try {
    const { keys } = plain.backend;
    const response = await postRecording(plain.url, recordingForm(wav), { authorization: `Bearer ${keys.secretKey}` });
    expect(await readBody(response)).toMatchObject({
      status: 503,
      body: { error: { code: 'transcription_unavailable' } },
    });
    expect(await (await fetch(`${plain.url}/config.json`)).json()).toMatchObject({ transcription: false });
  } finally {
    await plain.stop();
  }
});
