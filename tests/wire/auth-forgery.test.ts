import { createHmac } from 'node:crypto';
import { decodeJwt, exportSPKI, generateKeyPair, importJWK, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { addPerson } from '#tests/support/people.ts';

/** Row 15: forged tokens. Each changes one thing about a token that is accepted. */
let server: AuthBackend;
let real: string;
let claims: JWTPayload;
let kid: string;
let foreign: { privateKey: CryptoKey; publicKey: CryptoKey };

beforeAll(async () => {
  server = await bootAuthBackend();
  const { email, password } = await addPerson(server);
  real = (await server.client().auth.signInWithPassword({ email, password })).data.session?.access_token ?? '';
  claims = decodeJwt(real);
  kid = server.backend.keys.published()[0]?.kid ?? '';
  foreign = await generateKeyPair('ES256', { extractable: true });
});
afterAll(() => server.stop());

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const pieces = (): [string, string, string] => real.split('.') as [string, string, string];
const now = (): number => Math.floor(Date.now() / 1_000);
const hmac = (header: object, secret: string | Buffer): string => {
  const body = `${part(header)}.${part(claims)}`;
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
};
const byStranger = (header: object, payload: JWTPayload = claims): Promise<string> =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', ...header }).sign(foreign.privateKey);
/** Signed by the server itself: only the claim is wrong. */
const byUs = (change: JWTPayload, without: string[] = []): Promise<string> => {
  const kept = Object.entries({ ...claims, ...change }).filter(([name]) => !without.includes(name));
  return server.backend.keys.sign(Object.fromEntries(kept));
};
const publicPem = async (): Promise<string> => {
  const key = await importJWK(server.backend.keys.published()[0] ?? {}, 'ES256');
  return exportSPKI(key as CryptoKey);
};

const FORGERIES: [string, () => string | Promise<string>][] = [
  ['alg none without signature', () => `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`],
  ['alg None', () => `${part({ alg: 'None' })}.${part(claims)}.`],
  ['alg NONE with our kid', () => `${part({ alg: 'NONE', kid })}.${part(claims)}.`],
  ['alg none with the real signature', () => `${part({ alg: 'none', kid })}.${part(claims)}.${pieces()[2]}`],
  ['no alg', () => `${part({ typ: 'JWT', kid })}.${part(claims)}.${pieces()[2]}`],
  ['alg a number', () => `${part({ alg: 256, kid })}.${part(claims)}.${pieces()[2]}`],
  ['HS256 with the public key as PEM', async () => hmac({ alg: 'HS256', kid }, await publicPem())],
  [
    'HS256 with the public key as JWK',
    () => hmac({ alg: 'HS256', kid }, JSON.stringify(server.backend.keys.published()[0])),
  ],
  [
    'HS256 with the point x',
    () => hmac({ alg: 'HS256', kid }, Buffer.from(server.backend.keys.published()[0]?.x ?? '', 'base64url')),
  ],
  ['HS256 with the publishable key', () => hmac({ alg: 'HS256' }, server.backend.keys.publishableKey)],
  ['HS256 with an empty secret', () => hmac({ alg: 'HS256' }, '')],
  [
    'HS256 with a well-known secret',
    () => hmac({ alg: 'HS256' }, 'super-secret-jwt-token-with-at-least-32-characters-long'),
  ],
  ['HS384', () => hmac({ alg: 'HS384', kid }, 'secret')],
  ['HS512', () => hmac({ alg: 'HS512', kid }, 'secret')],
  ['a stranger under our kid', () => byStranger({ kid })],
  ['a stranger under an own kid', () => byStranger({ kid: 'fremd' })],
  ['a stranger without kid', () => byStranger({})],
  [
    'a stranger with an embedded key',
    async () => byStranger({ jwk: await import('jose').then(({ exportJWK }) => exportJWK(foreign.publicKey)) }),
  ],
  ['a stranger with a key address', () => byStranger({ kid, jku: 'https://anderswo.test/jwks.json' })],
  ['a stranger with a certificate address', () => byStranger({ kid, x5u: 'https://anderswo.test/cert.pem' })],
  ['kid as a path', () => byStranger({ kid: '../../../../dev/null' })],
  ['kid as SQL', () => byStranger({ kid: "' or 1=1 --" })],
  [
    'another subject under the real signature',
    () => `${pieces()[0]}.${part({ ...claims, sub: '00000000-0000-0000-0000-000000000000' })}.${pieces()[2]}`,
  ],
  [
    'role service_role under the real signature',
    () => `${pieces()[0]}.${part({ ...claims, role: 'service_role' })}.${pieces()[2]}`,
  ],
  [
    'a later expiry under the real signature',
    () => `${pieces()[0]}.${part({ ...claims, exp: now() + 1e6 })}.${pieces()[2]}`,
  ],
  ['aal2 under the real signature', () => `${pieces()[0]}.${part({ ...claims, aal: 'aal2' })}.${pieces()[2]}`],
  ['signature empty', () => `${pieces()[0]}.${pieces()[1]}.`],
  ['signature cut', () => real.slice(0, -4)],
  ['signature of zeros', () => `${pieces()[0]}.${pieces()[1]}.${Buffer.alloc(64).toString('base64url')}`],
  [
    'signature turned round',
    () =>
      `${pieces()[0]}.${pieces()[1]}.${Buffer.from(Buffer.from(pieces()[2], 'base64url').toReversed()).toString('base64url')}`,
  ],
  ['header changed', () => `${part({ alg: 'ES256', kid, typ: 'at+jwt' })}.${pieces()[1]}.${pieces()[2]}`],
  [
    'unknown critical header',
    () =>
      byStranger({ kid, crit: ['exp'], exp: 1 }).catch(
        () => `${part({ alg: 'ES256', kid, crit: ['x'], x: 1 })}.${pieces()[1]}.${pieces()[2]}`,
      ),
  ],
  ['expired', () => byUs({ exp: now() - 60, iat: now() - 3_660 })],
  ['expired long ago', () => byUs({ exp: 1 })],
  ['not valid yet', () => byUs({ nbf: now() + 600 })],
  ['another issuer', () => byUs({ iss: 'https://anderswo.test/auth/v1' })],
  ['no issuer', () => byUs({}, ['iss'])],
  ['another audience', () => byUs({ aud: 'anon' })],
  ['no audience', () => byUs({}, ['aud'])],
  ['no subject', () => byUs({}, ['sub'])],
  ['a session of nobody', () => byUs({ session_id: '00000000-0000-4000-8000-000000000000' })],
  ['a session id that is none', () => byUs({ session_id: 'x' })],
  ['a subject without a user', () => byUs({ sub: '00000000-0000-4000-8000-000000000000' })],
  ['two parts', () => `${pieces()[0]}.${pieces()[1]}`],
  ['four parts', () => `${real}.x`],
  ['five parts, as encrypted tokens have', () => 'a.b.c.d.e'],
  ['no base64', () => 'ä.ö.ü'.replaceAll(/[^\u0020-\u007e]/g, '%')],
  ['header no JSON', () => `${Buffer.from('nein').toString('base64url')}.${pieces()[1]}.${pieces()[2]}`],
];

describe('threat 15 forged tokens', () => {
  test('the token that all of them change is accepted', async () => {
    const response = await server.call('GET', '/user', undefined, { authorization: `Bearer ${real}` });
    expect(response.status).toBe(200);
  });

  // At once: keys are read again for an unknown one no more than once a second, for all that wait.
  test.concurrent.each(FORGERIES)('%s', async (name, forge) => {
    const headers = { authorization: `Bearer ${await forge()}` };
    const answers = await Promise.all([
      server.call('GET', '/user', undefined, headers),
      server.call('GET', '/admin/users', undefined, headers),
      server.call('POST', '/factors', { factor_type: 'totp', friendly_name: name }, headers),
    ]);
    for (const { status } of answers) expect([401, 403]).toContain(status);
  });

  test('a signed claim role=service_role opens administration only because we signed it', async () => {
    const headers = { authorization: `Bearer ${await byUs({ role: 'service_role' })}` };
    expect((await server.call('GET', '/admin/users', undefined, headers)).status).toBe(200);
  });

  test('a subject that is no uuid → 400 bad_jwt', async () => {
    const headers = { authorization: `Bearer ${await byUs({ sub: 'x' })}` };
    const response = await server.call('GET', '/user', undefined, headers);
    expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([400, 'bad_jwt']);
  });

  test("The message of a bad signature begins as upstream's (contract §1.3)", async () => {
    const headers = { authorization: `Bearer ${await byStranger({ kid })}` };
    const { msg } = (await (await server.call('GET', '/user', undefined, headers)).json()) as { msg: string };
    expect(msg).toMatch(/^invalid JWT: unable to parse or verify signature, /);
  });
});
