import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { externalConfig } from '#tests/support/auth-external.ts';

let server: AuthBackend;
beforeAll(async () => {
  const google = { enabled: true, client_id: 'x', secret: 'y' };
  server = await bootAuthBackend({
    // As node:dns answers without a resolver: later, and with the error alone. An error thrown there has no request.
    resolve: (name, done) => void setImmediate(() => done(new Error(`getaddrinfo EAI_AGAIN ${name}`))),
    auth: (auth) => ({ ...mailing(auth), external: { google: externalConfig(google) } }),
  });
});
afterAll(() => server.stop());

test('Answers 400 on /authorize when the name of the provider cannot be resolved (§7)', async () => {
  const response = await server.call('GET', '/authorize?provider=google');
  expect([response.status, await response.json()]).toEqual([
    400,
    {
      code: 400,
      error_code: 'validation_failed',
      msg: 'Unsupported provider: provider google could not be reached',
    },
  ]);
});

test('Answers 500 on an ID token when the name of the provider cannot be resolved, and goes on (§7)', async () => {
  const response = await server.call('POST', '/token?grant_type=id_token', { provider: 'google', id_token: 'a.b.c' });
  expect([response.status, await response.json()]).toEqual([
    500,
    {
      code: 500,
      error_code: 'unexpected_failure',
      msg: 'Unexpected failure, please check server logs for more information',
      error_id: expect.any(String),
    },
  ]);
  expect((await server.call('GET', '/health')).status).toBe(200);
});
