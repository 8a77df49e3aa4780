import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { beforeAll, expect, test, vi } from 'vitest';
import { cacheVerified, createTokenVerifier, TokenError, type TokenErrorCode, type TokenVerifier } from './tokens.ts';

const ISSUER = 'http://server.test/auth/v1';
const SECRET = 'a-shared-secret-of-at-least-32-characters';
type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
let own: PrivateKey;
let foreign: PrivateKey;
let rsa: PrivateKey;
let verify: TokenVerifier;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const rsaPair = await generateKeyPair('RS256', { extractable: true });
  own = pair.privateKey;
  rsa = rsaPair.privateKey;
  foreign = (await generateKeyPair('ES256')).privateKey;
  verify = createTokenVerifier({
    own: [{ ...(await exportJWK(pair.publicKey)), kid: 'own', alg: 'ES256' }],
    trusted: [{ ...(await exportJWK(rsaPair.publicKey)), kid: 'rsa', alg: 'RS256' }],
    secret: SECRET,
    issuer: ISSUER,
    audience: 'authenticated',
  });
});

type Change = Readonly<{ kid?: string; alg?: string; claims?: JWTPayload; age?: number; lifetime?: number }>;

function token(
  key: PrivateKey | Uint8Array,
  { kid = 'own', alg = 'ES256', claims = {}, age = 0, lifetime = 3600 }: Change = {},
) {
  const issued = Math.floor(Date.now() / 1000) - age;
  return new SignJWT({ iss: ISSUER, aud: 'authenticated', sub: 'u', iat: issued, exp: issued + lifetime, ...claims })
    .setProtectedHeader({ alg, kid })
    .sign(key);
}

async function verifyToCode(text: string): Promise<TokenErrorCode | 'accepted'> {
  try {
    await verify(text);
    return 'accepted';
  } catch (error) {
    if (error instanceof TokenError) return error.code;
    throw error;
  }
}

test('Accepts an own token with its claims', async () => {
  expect(await verify(await token(own))).toMatchObject({ sub: 'u', aud: 'authenticated' });
});

test('Accepts a token under a trusted RS256 key from any issuer', async () => {
  expect(
    await verifyToCode(await token(rsa, { kid: 'rsa', alg: 'RS256', claims: { iss: 'elsewhere', aud: 'x' } })),
  ).toBe('accepted');
});

test('Accepts an HS256 token under the shared secret', async () => {
  expect(await verifyToCode(await token(new TextEncoder().encode(SECRET), { alg: 'HS256' }))).toBe('accepted');
});

const FORGED: readonly [string, () => Promise<string> | string, TokenErrorCode][] = [
  ['no token at all', () => 'abc', 'malformed'],
  ['four parts', () => 'a.b.c.d', 'malformed'],
  ['a header that is no JSON', () => 'x.y.z', 'malformed'],
  ['no signature (alg none)', () => new UnsecuredJWT({ sub: 'u' }).encode(), 'no-key'],
  ['a foreign key under our key id', () => token(foreign), 'signature'],
  ['an unknown key id', () => token(foreign, { kid: 'other' }), 'no-key'],
  [
    'another shared secret',
    () => token(new TextEncoder().encode('another-secret-of-at-least-32-characters'), { alg: 'HS256' }),
    'signature',
  ],
  ['a foreign issuer', () => token(own, { claims: { iss: 'http://evil.test' } }), 'issuer'],
  ['a foreign audience', () => token(own, { claims: { aud: 'other' } }), 'audience'],
  ['an old token', () => token(own, { age: 7200 }), 'expired'],
  [
    'a token of tomorrow',
    () => token(own, { claims: { nbf: Math.floor(Date.now() / 1000) + 86_400 } }),
    'not-yet-valid',
  ],
];

test.each(FORGED)('Refuses %s (threat 15)', async (_name, make, expected) => {
  expect(await verifyToCode(await make())).toBe(expected);
});

test('Refuses a changed claim (threat 15)', async () => {
  const [head, , signature] = (await token(own)).split('.');
  const claims = Buffer.from(JSON.stringify({ iss: ISSUER, aud: 'authenticated', role: 'service_role' })).toString(
    'base64url',
  );
  expect(await verifyToCode(`${head}.${claims}.${signature}`)).toBe('signature');
});

test('Refuses an HS256 token under the public key (threat 15)', async () => {
  const withoutSecret = createTokenVerifier({ own: [], issuer: ISSUER, audience: 'authenticated' });
  await expect(withoutSecret(await token(new TextEncoder().encode(SECRET), { alg: 'HS256' }))).rejects.toThrow(
    TokenError,
  );
});

test('Verifies a valid token once until it expires', async () => {
  let now = 1_000_000;
  const verify = vi.fn(async (token: string) => ({ sub: token, exp: 1_060 }));
  const remembered = cacheVerified(verify, () => now);
  expect([await remembered('a'), await remembered('a'), await remembered('b')]).toMatchObject([
    { sub: 'a' },
    { sub: 'a' },
    { sub: 'b' },
  ]);
  expect(verify).toHaveBeenCalledTimes(2);
  now = 1_060_000;
  await remembered('a');
  expect(verify).toHaveBeenCalledTimes(3);
});

test('Verifies a refused token each time, and caches none without an end', async () => {
  const verify = vi.fn(async (token: string) => {
    if (token === 'bad') throw new Error('no');
    return { sub: token };
  });
  const remembered = cacheVerified(verify);
  await expect(remembered('bad')).rejects.toThrow('no');
  await expect(remembered('bad')).rejects.toThrow('no');
  await remembered('endless');
  await remembered('endless');
  expect(verify).toHaveBeenCalledTimes(4);
});

test('Caches a bounded number of tokens', async () => {
  const verify = vi.fn(async (token: string) => ({ sub: token, exp: Date.now() }));
  const remembered = cacheVerified(verify);
  for (let at = 0; at <= 1_000; at += 1) await remembered(String(at));
  await remembered('0');
  expect(verify).toHaveBeenCalledTimes(1_002);
});
