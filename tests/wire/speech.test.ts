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

async function bodyOf(response: Response): Promise<unknown> {
  return { status: response.status, body: await response.json() };
}

test('§7 a logged-in user sends file, model and language and reads text', async () => {
  const response = await postRecording(server.url, recordingForm(wav), user);
  expect(await bodyOf(response)).toEqual({ status: 200, body: { text: SPOKEN_TEXT } });
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

test('D12 a key of the caller is used instead of the server’s', async () => {
  await postRecording(server.url, recordingForm(wav), { ...user, 'x-transcription-key': 'my-own-key' });
  expect(service.calls()[0]).toMatchObject({ authorization: 'Bearer my-own-key', faults: [] });
});

test('D12 neither the caller’s token nor what the file was called reaches the service', async () => {
  await postRecording(server.url, recordingForm(wav, { filename: 'Interview mit Frau Meier.wav' }), user);
  expect(JSON.stringify(service.calls().map((call) => ({ ...call, bytes: undefined })))).not.toMatch(/Meier|eyJ/);
});

test('D12 without a login nothing is transcribed', async () => {
  const anonymous = await postRecording(server.url, recordingForm(wav), {});
  expect(await bodyOf(anonymous)).toMatchObject({ status: 401, body: { error: { code: 'not_authenticated' } } });
  const withPublicKey = await postRecording(server.url, recordingForm(wav), {
    apikey: server.backend.keys.publishableKey,
  });
  expect(withPublicKey.status).toBe(401);
  expect(service.calls()).toHaveLength(0);
});

test('§6 a login without a role has nothing transcribed, with or without a service', async () => {
  const plain = await bootServer();
  try {
    for (const { url, databaseUrl, backend } of [server, plain]) {
      const headers = await loginHeaders(backend.keys, await createAccount(databaseUrl));
      const refused = await postRecording(url, recordingForm(wav), headers);
      expect(await bodyOf(refused)).toMatchObject({ status: 401, body: { error: { code: 'not_authenticated' } } });
    }
    expect(service.calls()).toHaveLength(0);
  } finally {
    await plain.stop();
  }
});

test('D9 a key that no contribution knows opens nothing', async () => {
  const response = await postRecording(server.url, recordingForm(wav), {
    'x-interview-key': randomBytes(32).toString('base64url'),
  });
  expect(response.status).toBe(401);
  expect(service.calls()).toHaveLength(0);
});

test('D9 whoever holds the key of a contribution may have it transcribed', async () => {
  const headers = { 'x-interview-key': randomBytes(32).toString('base64url') };
  const contributor = { role: 'anon', claims: { role: 'anon' }, method: 'POST', path: '/interviews', headers };
  await server.backend.database.asCaller(contributor, (tx) =>
    tx.query('insert into public.interviews (created_at) values (now()) returning id'),
  );
  const response = await postRecording(server.url, recordingForm(wav), headers);
  expect(await bodyOf(response)).toEqual({ status: 200, body: { text: SPOKEN_TEXT } });
});

test('§7 a token that has expired in the middle is told apart from a missing one', async () => {
  const expired = await tokenFor(account.id, -120);
  const response = await postRecording(server.url, recordingForm(wav), { authorization: `Bearer ${expired}` });
  expect(await bodyOf(response)).toMatchObject({ status: 401, body: { error: { code: 'invalid_token' } } });
});

test('D21 without a service: transcription_unavailable, and /config.json says so', async () => {
  const plain = await bootServer();
  try {
    const { keys } = plain.backend;
    const response = await postRecording(plain.url, recordingForm(wav), { authorization: `Bearer ${keys.secretKey}` });
    expect(await bodyOf(response)).toMatchObject({
      status: 503,
      body: { error: { code: 'transcription_unavailable' } },
    });
    expect(await (await fetch(`${plain.url}/config.json`)).json()).toMatchObject({ transcription: false });
  } finally {
    await plain.stop();
  }
});
