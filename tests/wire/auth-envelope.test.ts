import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
const log: string[] = [];
beforeAll(async () => {
  const sink = new Writable({ write: (chunk, _encoding, done) => (log.push(String(chunk)), done()) });
  server = await bootAuthBackend({ log: sink });
});
afterAll(() => server.stop());

const VERSION = { 'x-supabase-api-version': '2024-01-01' };
const TOKEN = '/token?grant_type=password';

describe('contract §1.1 error envelope', () => {
  test('with the version header: code and message, the header echoed, x-sb-error-code', async () => {
    const response = await server.call('POST', TOKEN, { email: 'a@beispiel.test', password: 'x' }, VERSION);
    expect(await response.json()).toEqual({ code: 'invalid_credentials', message: 'Invalid login credentials' });
    expect(response.headers.get('x-supabase-api-version')).toBe('2024-01-01');
    expect(response.headers.get('x-sb-error-code')).toBe('invalid_credentials');
  });

  test('without it: status, error_code and msg, no echo', async () => {
    const response = await server.call('POST', TOKEN, { email: 'b@beispiel.test', password: 'x' });
    expect(await response.json()).toEqual({
      code: 400,
      error_code: 'invalid_credentials',
      msg: 'Invalid login credentials',
    });
    expect(response.headers.get('x-supabase-api-version')).toBeNull();
    expect(response.headers.get('x-sb-error-code')).toBe('invalid_credentials');
  });

  test.each(['2023-12-31', 'x', ''])('version %j is an old one', async (version) => {
    const response = await server.call('GET', '/user', undefined, { 'x-supabase-api-version': version });
    expect(await response.json()).toMatchObject({ code: 401, error_code: 'no_authorization' });
  });

  test.each(['{', '"', '{"a":}', 'null x', '\u0000'])('unparsable JSON %j → 400 bad_json', async (body) => {
    const response = await server.call('POST', TOKEN, body);
    expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([400, 'bad_json']);
  });

  test('over 1 MB → 413', async () => {
    const response = await server.call('POST', TOKEN, { email: 'x'.repeat(1_100_000) });
    expect(response.status).toBe(413);
    expect(response.headers.get('x-sb-error-code')).toBe('request_entity_too_large');
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'threat 18 a body of type %s is refused',
    async (type) => {
      const response = await server.call('POST', TOKEN, '{"email":"a@b.test","password":"x"}', {
        'content-type': type,
      });
      expect(response.status).toBe(415);
    },
  );

  test('unknown paths and methods → 404 in the same form', async () => {
    for (const [method, path] of [
      ['GET', '/nirgends'],
      ['GET', '/token'],
      ['DELETE', '/user'],
    ] as const) {
      const response = await server.call(method, path, undefined, VERSION);
      expect([response.status, await response.json()]).toEqual([404, { code: 'not_found', message: 'Not Found' }]);
    }
  });

  test('an internal error → 500 with an id and without its text; the log has the cause and no address', async () => {
    const { email, password } = await addPerson(server);
    await server.sql('alter table auth.sessions rename to hidden');
    const response = await server.call('POST', TOKEN, { email, password });
    await server.sql('alter table auth.hidden rename to sessions');
    const body = (await response.json()) as { error_id: string };
    expect([response.status, body]).toEqual([
      500,
      { code: 500, error_code: 'unexpected_failure', msg: 'Internal Server Error', error_id: expect.any(String) },
    ]);
    const lines = log.filter((line) => line.includes(body.error_id));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('42P01');
    expect(log.join('')).not.toContain(email);
    expect(log.join('')).not.toContain(password);
  });

  test('Preflight is answered before authentication, any origin (contract §0)', async () => {
    const response = await server.call('OPTIONS', '/user', undefined, {
      origin: 'https://anderswo.test',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization, apikey, content-type, x-client-info, x-supabase-api-version',
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toContain('x-supabase-api-version');
  });

  test('no answer with tokens is kept by a cache', async () => {
    const { email, password } = await addPerson(server);
    expect((await server.call('POST', TOKEN, { email, password })).headers.get('cache-control')).toBe('no-store');
  });
});

describe('§7 first requests of a client', () => {
  test('GET /settings', async () => {
    expect(await (await server.call('GET', '/settings')).json()).toMatchObject({
      external: { email: true, phone: false, anonymous_users: false, google: false },
      disable_signup: true,
      mailer_autoconfirm: true,
      phone_autoconfirm: true,
      sms_provider: '',
      saml_enabled: false,
    });
  });

  test('GET /health', async () => {
    expect(await (await server.call('GET', '/health')).json()).toEqual({
      version: expect.stringMatching(/^v\d/),
      name: 'GoTrue',
      description: expect.any(String),
    });
  });

  test('GET /.well-known/openid-configuration leads to the issuer and the keys of access tokens', async () => {
    const response = await server.call('GET', '/.well-known/openid-configuration');
    expect(response.headers.get('cache-control')).toBe('public, max-age=600');
    const { issuer } = server.backend.keys;
    const found = (await response.json()) as { jwks_uri: string };
    expect(found).toMatchObject({ issuer, response_types_supported: ['code'], subject_types_supported: ['public'] });
    expect(found.jwks_uri).toBe(`${issuer}/.well-known/jwks.json`);
  });

  test('GET /.well-known/jwks.json publishes public keys only, for 10 minutes', async () => {
    const response = await server.call('GET', '/.well-known/jwks.json');
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
    expect(keys).toEqual([expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256', kid: expect.any(String) })]);
    expect(keys[0]).not.toHaveProperty('d');
    expect(response.headers.get('cache-control')).toBe('public, max-age=600');
  });
});
