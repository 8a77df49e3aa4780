import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppConfigSchema } from '#contract/app-config.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { runFile } from '#tests/support/processes.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.stop());

test('GET /config.json answers what the browser application needs', async () => {
  const response = await fetch(`${server.url}/config.json`);
  const config = AppConfigSchema.parse(await response.json());
  expect(config.supabaseUrl).toBe(server.url);
  expect(config.supabaseKey).toBe(server.backend.keys.publishableKey);
});

test('GET /health names database, storage and transcription', async () => {
  const response = await fetch(`${server.url}/health`);
  expect(await response.json()).toMatchObject({
    status: 'ok',
    database: 'ok',
    storage: 'ok',
    transcription: 'not configured',
  });
});

test('--load loads the server and ends: no setting is read, nothing starts (decision 0341)', async () => {
  const settings = { PORT: 'keiner' };
  expect(await runFile('src/server/main.ts', ['--load'], settings)).toEqual({ code: 0, out: '', err: '' });
  expect(await runFile('src/server/main.ts', [], settings)).toMatchObject({ code: 1 });
});
