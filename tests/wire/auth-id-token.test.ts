import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { CALLBACK_URL, externalConfig } from '#tests/support/auth-external.ts';
import { getClaims } from '#tests/support/auth-pkce.ts';
import { CLIENT_ID, startOpenidProvider, type OpenidProvider } from '#tests/support/openid-provider.ts';
import { addPerson } from '#tests/support/people.ts';

let openid: OpenidProvider;
let server: AuthBackend;
beforeAll(async () => {
  openid = await startOpenidProvider(CALLBACK_URL);
  const { secret: _unused, ...withoutSecret } = openid.config;
  server = await bootAuthBackend({
    auth: (auth) => ({
      ...mailing(auth),
      rate_limit: { ...auth.rate_limit, token_refresh: 10_000 },
      enable_manual_linking: true,
      internal_hosts: [openid.host],
      external: {
        keycloak: externalConfig({ ...withoutSecret, client_id: `${CLIENT_ID}, mobile-app` }),
        ohne_nonce: externalConfig({ ...withoutSecret, skip_nonce_check: true }),
        github: externalConfig({ enabled: true, client_id: 'x', secret: 'y' }),
        weg: externalConfig({ enabled: true, client_id: 'x', url: 'http://127.0.0.1:9' }),
      },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await openid.stop();
});

const fresh = (): string => `${randomUUID()}@beispiel.test`;
const somebody = () => ({ sub: randomUUID(), email: fresh(), email_verified: true });
const enter = (body: object): Promise<Response> => server.call('POST', '/token?grant_type=id_token', body);
const refusal = async (body: object): Promise<unknown> => {
  const response = await enter(body);
  return [response.status, await response.json()];
};
const oauth = (error: string, error_description: string) => [400, { error, error_description }];

describe('§7 POST /token id_token', () => {
  test('through the official client: a session for the user of the token', async () => {
    const person = somebody();
    const nonce = randomUUID();
    const hashed = createHash('sha256').update(nonce).digest('hex');
    const token = await openid.idToken({ ...person, nonce: hashed });
    const { data, error } = await server.client().auth.signInWithIdToken({ provider: 'keycloak', token, nonce });
    expect([error, data.user?.email]).toEqual([null, person.email]);
    expect(getClaims(data.session?.access_token)).toMatchObject({
      amr: [{ method: 'oauth' }],
      app_metadata: { provider: 'keycloak', providers: ['keycloak'] },
    });
  });

  test('by issuer and client instead of the name; another application of the same owner', async () => {
    const person = somebody();
    const id_token = await openid.idToken({ ...person, aud: ['mobile-app'] });
    const response = await enter({ issuer: openid.issuer, client_id: 'mobile-app', id_token });
    expect(await response.json()).toMatchObject({
      user: { email: person.email, app_metadata: { provider: 'keycloak' } },
    });
  });

  test('the same linking rules: a verified address leads to its account, an unverified one nowhere', async () => {
    const { email, id } = await addPerson(server);
    const sub = randomUUID();
    const unverified = await openid.idToken({ sub, email, email_verified: false });
    expect(await refusal({ provider: 'keycloak', id_token: unverified })).toEqual([
      422,
      expect.objectContaining({ error_code: 'provider_email_needs_verification' }),
    ]);
    const verified = await openid.idToken({ sub, email, email_verified: true });
    expect(await (await enter({ provider: 'keycloak', id_token: verified })).json()).toMatchObject({ user: { id } });
  });

  test('link_identity adds it to the account of the caller', async () => {
    const { email, password, id } = await addPerson(server);
    const client = server.client();
    await client.auth.signInWithPassword({ email, password });
    const token = await openid.idToken(somebody());
    const { data, error } = await client.auth.linkIdentity({ provider: 'keycloak', token });
    expect([error, data.user?.id]).toEqual([null, id]);
    expect((await client.auth.getUserIdentities()).data?.identities).toHaveLength(2);
    const anonymous = { provider: 'keycloak', id_token: await openid.idToken(somebody()), link_identity: true };
    expect(await refusal(anonymous)).toEqual(
      oauth('invalid request', 'Linking requires a valid user access token in Authorization'),
    );
  });

  test.each([
    [{}, 'id_token required'],
    [{ id_token: 'x' }, 'provider or client_id and issuer required'],
    [{ id_token: 'x', client_id: 'y' }, 'provider or client_id and issuer required'],
    [{ id_token: 'x', provider: 'keycloak' }, 'Bad ID token'],
    [{ id_token: 'a.b.c', provider: 'keycloak' }, 'Bad ID token'],
  ])('%j → 400 in OAuth’s form', async (body, description) => {
    expect(await refusal(body)).toEqual(oauth('invalid request', description));
  });

  test.each([
    [{ provider: 'unbekannt' }, 'validation_failed', 'Custom OIDC provider "unbekannt" not allowed'],
    [{ provider: 'github' }, 'validation_failed', 'Custom OIDC provider "github" not allowed'],
    [{ issuer: 'https://boese.test', client_id: 'x' }, 'validation_failed', 'Custom OIDC provider "" not allowed'],
    [{ provider: 'google' }, 'provider_disabled', 'Provider (issuer "https://accounts.google.com") is not enabled'],
  ])('%j → 400 %s', async (body, error_code, msg) => {
    expect(await refusal({ id_token: 'x', ...body })).toEqual([400, { code: 400, error_code, msg }]);
  });

  test('an audience that is not ours', async () => {
    const id_token = await openid.idToken({ ...somebody(), aud: ['fremd', 'auch fremd'] });
    expect(await refusal({ provider: 'keycloak', id_token })).toEqual(
      oauth('invalid request', 'Unacceptable audience in id_token: [fremd auch fremd]'),
    );
  });

  const NONCES = 'Passed nonce and nonce in id_token should either both exist or not.';
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  test.each([
    ['only in the token', { nonce: hash('n') }, {}, oauth('invalid request', NONCES)],
    ['only in the body', {}, { nonce: 'n' }, oauth('invalid request', NONCES)],
    ['unhashed', { nonce: 'n' }, { nonce: 'n' }, oauth('invalid nonce', 'Nonces mismatch')],
    ['another', { nonce: hash('n') }, { nonce: 'm' }, oauth('invalid nonce', 'Nonces mismatch')],
  ])('nonce %s', async (_name, claims, members, expected) => {
    const id_token = await openid.idToken({ ...somebody(), ...claims });
    expect(await refusal({ provider: 'keycloak', id_token, ...members })).toEqual(expected);
    expect((await enter({ provider: 'ohne_nonce', id_token, ...members })).status).toBe(200);
  });

  test('an access token has to fit where the token says which', async () => {
    const at_hash = createHash('sha256').update('zugriff').digest().subarray(0, 16).toString('base64url');
    const id_token = await openid.idToken({ ...somebody(), at_hash });
    const body = { provider: 'keycloak', id_token };
    expect(await refusal({ ...body, access_token: 'anderer' })).toEqual(oauth('invalid request', 'Bad ID token'));
    expect((await enter({ ...body, access_token: 'zugriff' })).status).toBe(200);
  });

  describe('threat 15 forgeries', () => {
    test('expired, of another issuer, signed by another key, unsigned', async () => {
      const person = somebody();
      const { privateKey } = await generateKeyPair('RS256', { extractable: true });
      const sign = (header: object): Promise<string> =>
        new SignJWT({ ...person, iss: openid.issuer, aud: CLIENT_ID })
          .setProtectedHeader({ alg: 'RS256', ...header })
          .setIssuedAt()
          .setExpirationTime('5m')
          .sign(privateKey);
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const now = Math.floor(Date.now() / 1_000);
      const claims = { ...person, iss: openid.issuer, aud: CLIENT_ID, iat: now, exp: now + 300 };
      const forged = [
        await openid.idToken(person, '-1m'),
        await openid.idToken({ ...person, iss: 'https://boese.test' }),
        await sign({ kid: 'k1' }),
        await sign({ kid: 'k2' }),
        await sign({ jwk: await exportJWK(privateKey) }),
        `${part({ alg: 'none' })}.${part(claims)}.`,
        `${part({ alg: 'HS256', kid: 'k1' })}.${part(claims)}.AAAA`,
      ];
      for (const id_token of forged) {
        expect(await refusal({ provider: 'keycloak', id_token })).toEqual(oauth('invalid request', 'Bad ID token'));
      }
    });

    test('times go by this server’s clock', async () => {
      const late = await bootAuthBackend({
        auth: () => ({
          enable_signup: true,
          internal_hosts: [openid.host],
          external: { keycloak: externalConfig(openid.config) },
        }),
      });
      const id_token = await openid.idToken(somebody());
      late.advance(331_000);
      const response = await late.call('POST', '/token?grant_type=id_token', { provider: 'keycloak', id_token });
      expect(await response.json()).toMatchObject({ error_description: 'Bad ID token' });
      await late.stop();
    });
  });
});
