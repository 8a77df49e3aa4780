import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import type { RunningServer } from '#server/start.ts';
import { createUser } from '#tests/support/accounts.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { createAccount } from '#tests/support/callers.ts';
import { projectFolder } from '#tests/support/project-folder.ts';
import { loginHeaders } from '#tests/support/voice-client.ts';

/** Architecture, line 6: a second embedded server plays the hosted project. */
let project: TestServer;
let server: RunningServer;

beforeAll(async () => {
  project = await bootServer();
  server = await bootHosted(project);
});
afterAll(async () => {
  await server.stop();
  await project.stop();
});

function transcribe(headers: Record<string, string>): Promise<Response> {
  const form = new FormData();
  form.append('file', new Blob([randomBytes(64)]), 'aufnahme.webm');
  return fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', body: form, headers });
}

test('architecture 6: the browser is sent to the hosted project', async () => {
  const config = (await (await fetch(`${server.url}/config.json`)).json()) as {
    supabaseUrl: string;
    supabaseKey: string;
  };
  expect(config).toMatchObject({
    supabaseUrl: project.url,
    supabaseKey: project.backend.keys.publishableKey,
    currentPassword: true,
    passwordLength: 10,
  });
});

test('decision 0085 what the browser has to know of the project’s captcha stands in the file here', async () => {
  const { folder, remove } = await projectFolder(
    '[auth.captcha]\nenabled = true\nprovider = "turnstile"\nsecret = "env(NOT_HERE)"\nsite_key = "oeffentlich"',
  );
  const guarded = await bootHosted(project, { SUPABASE_DIR: folder });
  try {
    const { captcha } = (await (await fetch(`${guarded.url}/config.json`)).json()) as AppConfig;
    expect(captcha).toMatchObject({ provider: 'turnstile', siteKey: 'oeffentlich' });
    expect(captcha?.script).toMatch(/^https:\/\/challenges\.cloudflare\.com\//);
  } finally {
    await guarded.stop();
    await remove();
  }
});

test('architecture 6: no backend route is mounted', async () => {
  const answers = await Promise.all(
    ['/auth/v1/health', '/rest/v1/interviews', '/storage/v1/status'].map((path) => fetch(server.url + path)),
  );
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test('architecture 6: the health is the project’s', async () => {
  expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ database: 'ok', storage: 'ok' });
});

test('architecture 6: a token of the project is accepted by its published keys, a forged one is not', async () => {
  const user = await createUser(project, { role: 'firma_a' });
  const session = await user.client.auth.getSession();
  const token = session.data.session?.access_token ?? '';
  // Past the caller's check it is the missing transcription service that is spoken of.
  expect((await transcribe({ authorization: `Bearer ${token}` })).status).toBe(503);
  expect((await transcribe({ authorization: `Bearer ${token.slice(0, -6)}AAAAAA` })).status).toBe(401);
});

test('A login of the project without a role has nothing transcribed (§6)', async () => {
  const headers = await loginHeaders(project.backend.keys, await createAccount(project.databaseUrl));
  expect((await transcribe(headers)).status).toBe(401);
});

test('An interview key opens what the project’s row-level security lets it open (D9)', async () => {
  const key = randomBytes(32).toString('base64url');
  const { error } = await project
    .client({ headers: { 'x-interview-key': key } })
    .from('interviews')
    .insert({});
  expect(error).toBeNull();
  expect((await transcribe({ 'x-interview-key': key })).status).toBe(503);
  expect((await transcribe({ 'x-interview-key': randomBytes(32).toString('base64url') })).status).toBe(401);
});
