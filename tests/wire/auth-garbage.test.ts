import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { garbageBody, nasty } from '#tests/support/garbage.ts';
import { addPerson } from '#tests/support/people.ts';

/** Generated garbage into every parser: never a 5xx, never a crash. */
let server: AuthBackend;
let user: string;
let userId: string;
let factorIds: readonly string[];
beforeAll(async () => {
  const many = 1_000_000;
  server = await bootAuthBackend({
    auth: (auth) => ({
      enable_signup: true,
      mfa: { ...auth.mfa, rate_limit_challenge_and_verify: many, max_enrolled_factors: many },
      rate_limit: {
        ...auth.rate_limit,
        token_refresh: many,
        sign_in_sign_ups: many,
        token_verifications: many,
        email_sent: many,
      },
    }),
  });
  const { email, password, id } = await addPerson(server);
  user = (await server.client().auth.signInWithPassword({ email, password })).data.session?.access_token ?? '';
  userId = id;
  factorIds = await Promise.all(['totp', 'webauthn'].map((type) => getFactor(type)));
});
afterAll(() => server.stop());

async function getFactor(factor_type: string): Promise<string> {
  const body = { factor_type, friendly_name: factor_type };
  const response = await server.call('POST', '/factors', body, buildHeaders('user'));
  return ((await response.json()) as { id: string }).id;
}

const ROUTES: [string, string, 'nobody' | 'user' | 'admin'][] = [
  ['POST', '/token?grant_type=password', 'nobody'],
  ['POST', '/token?grant_type=refresh_token', 'nobody'],
  ['POST', '/signup', 'nobody'],
  ['POST', '/recover', 'nobody'],
  ['POST', '/verify', 'nobody'],
  ['PUT', '/user', 'user'],
  ['POST', '/factors', 'user'],
  ['POST', '/factors/TOTP/challenge', 'user'],
  ['POST', '/factors/TOTP/verify', 'user'],
  ['POST', '/factors/PASSKEY/challenge', 'user'],
  ['POST', '/factors/PASSKEY/verify', 'user'],
  ['POST', '/admin/users', 'admin'],
  ['PUT', '/admin/users/ID', 'admin'],
  ['POST', '/invite', 'admin'],
  ['POST', '/admin/generate_link', 'admin'],
];

const MEMBERS = [
  'email',
  'phone',
  'password',
  'data',
  'refresh_token',
  'type',
  'token',
  'token_hash',
  'nonce',
  'new_email',
  'id',
  'role',
  'user_metadata',
  'app_metadata',
  'ban_duration',
  'password_hash',
  'redirect_to',
  'email_confirm',
  'should_soft_delete',
  'factor_type',
  'friendly_name',
  'issuer',
  'channel',
  'challenge_id',
  'code',
  'webauthn',
  'credential_response',
];
const body = garbageBody(MEMBERS);

function buildHeaders(who: 'nobody' | 'user' | 'admin'): Record<string, string> {
  if (who === 'nobody') return {};
  return { authorization: `Bearer ${who === 'user' ? user : server.backend.keys.secretKey}` };
}

describe('fault table: generated garbage', () => {
  test.each(ROUTES)('%s %s', async (method, path, who) => {
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        const route = path
          .replace('/ID', `/${userId}`)
          .replace('TOTP', factorIds[0] ?? '')
          .replace('PASSKEY', factorIds[1] ?? '');
        const response = await server.call(method, route, text || '{}', buildHeaders(who));
        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: 60 },
    );
  });

  test('query strings and paths', async () => {
    const paths = fc.constantFrom(
      '/verify',
      '/user',
      '/admin/users',
      '/admin/users/',
      '/settings',
      '/logout',
      '/token',
    );
    const names = fc.constantFrom(
      'token',
      'type',
      'redirect_to',
      'page',
      'per_page',
      'filter',
      'sort',
      'scope',
      'grant_type',
    );
    const text = fc.oneof(
      nasty.filter((part) => part.isWellFormed()),
      fc.webUrl(),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(
        paths,
        names,
        text,
        fc.constantFrom('GET', 'POST', 'DELETE'),
        async (path, name, given, method) => {
          const query = `?${name}=${encodeURIComponent(given)}&${name}=%00`;
          const route = path.endsWith('/') ? `${path}${encodeURIComponent(given)}` : `${path}${query}`;
          const response = await server.call(method, route, undefined, buildHeaders('admin'));
          expect(response.status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('address headers of a proxy', async () => {
    const { email, password } = await addPerson(server);
    for (const forwarded of ['garbage', '::ffff:10.0.0.1', 'fe80::1%eth0', '1.2.3.4, 5.6.7.8', '999.1.1.1', '']) {
      const headers = { 'x-forwarded-for': forwarded };
      const response = await server.call('POST', '/token?grant_type=password', { email, password }, headers);
      expect(response.status).toBe(200);
    }
  });

  test('deep nesting is refused before it exhausts the stack', async () => {
    const deep = `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const response = await server.call('PUT', '/user', deep, buildHeaders('user'));
    expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([400, 'bad_json']);
  });

  test('afterwards the service answers as before', async () => {
    const { email, password } = await addPerson(server);
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });
});
