import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { createAuthenticator, type Authenticator } from '#tests/support/authenticator.ts';
import { enrolApp, enter, proveApp, type SignedIn } from '#tests/support/second-factors.ts';

const ORIGIN = 'http://localhost:3000';
let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({
      mfa: { ...auth.mfa, rate_limit_challenge_and_verify: 100_000 },
      rate_limit: { ...auth.rate_limit, token_refresh: 100_000 },
    }),
  });
});
afterAll(() => server.stop());

type Asked = Readonly<{
  id: string;
  webauthn: {
    type: 'create' | 'request';
    credential_options: {
      publicKey: {
        challenge: string;
        rp: { id: string };
        rpId: string;
        user: { id: string; name: string };
        allowCredentials: { id: string }[];
        excludeCredentials: { id: string }[];
      };
    };
  };
}>;

/**
 * The client turns options into what a browser's API takes and answers back, so here both go over the wire as they are.
 */
async function post(
  me: SignedIn,
  path: string,
  body: unknown,
): Promise<{ status: number; code: string | null; json: unknown }> {
  const headers = { authorization: `Bearer ${me.session.access_token}` };
  const response = await server.call('POST', path, body, headers);
  return { status: response.status, code: response.headers.get('x-sb-error-code'), json: await response.json() };
}

async function enrol(me: SignedIn, friendlyName = 'Schlüssel'): Promise<string> {
  const { data, error } = await me.client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName });
  if (error !== null) throw error;
  return data.id;
}

const ask = async (me: SignedIn, factorId: string): Promise<Asked> =>
  (await post(me, `/factors/${factorId}/challenge`, {})).json as Asked;

function answerFor(key: Authenticator, { id, webauthn }: Asked): object {
  const { publicKey } = webauthn.credential_options;
  const credential_response = webauthn.type === 'create' ? key.create(publicKey) : key.get(publicKey);
  return { challenge_id: id, webauthn: { type: webauthn.type, rpId: 'localhost', credential_response } };
}

async function show(me: SignedIn, factorId: string, key: Authenticator) {
  return post(me, `/factors/${factorId}/verify`, answerFor(key, await ask(me, factorId)));
}

async function enterWithKey(): Promise<SignedIn & { factorId: string; key: Authenticator }> {
  const me = await enter(server);
  const [factorId, key] = [await enrol(me), createAuthenticator({ origin: ORIGIN })];
  const { json } = await show(me, factorId, key);
  return { ...me, session: json as SignedIn['session'], factorId, key };
}

describe('§7 factors: passkeys', () => {
  test('set up: options for the browser, the answer makes the factor count and the session aal2', async () => {
    const me = await enter(server);
    const factorId = await enrol(me);
    const asked = await ask(me, factorId);
    expect(asked).toMatchObject({
      type: 'webauthn',
      expires_at: Math.floor(server.now() / 1_000) + 300,
      webauthn: {
        type: 'create',
        credential_options: {
          publicKey: {
            rp: { id: 'localhost', name: 'localhost' },
            user: { id: Buffer.from(me.id).toString('base64url'), name: me.email },
            attestation: 'none',
            excludeCredentials: [],
          },
        },
      },
    });
    const key = createAuthenticator({ origin: ORIGIN });
    server.advance(1_000);
    const { status, json } = await post(me, `/factors/${factorId}/verify`, answerFor(key, asked));
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'bearer', user: { factors: [{ id: factorId, status: 'verified' }] } });
    const claims = decodeJwt((json as { access_token: string }).access_token);
    expect(claims).toMatchObject({ aal: 'aal2', amr: [{ method: 'mfa/webauthn' }, { method: 'password' }] });
  });

  test('the official client: the options become what the browser’s API takes, and its answer is taken back', async () => {
    const me = await enter(server);
    const factorId = await enrol(me);
    const { data } = await me.client.auth.mfa.challenge({ factorId, webauthn: { rpId: 'localhost' } });
    if (data?.type !== 'webauthn' || data.webauthn.type !== 'create') throw new Error('no passkey was asked for');
    const { publicKey } = data.webauthn.credential_options;
    expect(new Uint8Array(publicKey.challenge as ArrayBuffer)).toHaveLength(32);
    const challenge = Buffer.from(publicKey.challenge as ArrayBuffer).toString('base64url');
    const made = createAuthenticator({ origin: ORIGIN }).create({ challenge, rp: { id: publicKey.rp.id ?? '' } });
    const credential = { ...made, toJSON: () => made } as unknown as PublicKeyCredential;
    const { error } = await me.client.auth.mfa.verify({
      factorId,
      challengeId: data.id,
      webauthn: { type: 'create', rpId: 'localhost', credential_response: credential as never },
    });
    expect(error).toBeNull();
    const { data: level } = await me.client.auth.mfa.getAuthenticatorAssuranceLevel();
    expect(level?.currentLevel).toBe('aal2');
    expect((await me.client.auth.mfa.listFactors()).data?.webauthn).toHaveLength(1);
  });

  test('login: the key that was set up is asked for and lifts the session; its counter is kept', async () => {
    const first = await enterWithKey();
    const me = await enter(server, first);
    const asked = await ask(me, first.factorId);
    const { publicKey } = asked.webauthn.credential_options;
    expect([asked.webauthn.type, publicKey.rpId, publicKey.allowCredentials.length]).toEqual([
      'request',
      'localhost',
      1,
    ]);
    const answer = answerFor(first.key, asked);
    const { status, json } = await post(me, `/factors/${first.factorId}/verify`, answer);
    expect(status).toBe(200);
    expect(decodeJwt((json as { access_token: string }).access_token)['aal']).toBe('aal2');
    const [row] = await server.sql(
      `select web_authn_credential -> 'authenticator' ->> 'signCount' as count from auth.mfa_factors where id = $1`,
      [first.factorId],
    );
    expect(row?.['count']).toBe('2');
  });

  test('any key of the account will do, and one that is known is not set up twice', async () => {
    const me = await enterWithKey();
    const second = await enrol(me, 'zweiter');
    const asked = await ask(me, second);
    expect(asked.webauthn.credential_options.publicKey.excludeCredentials).toHaveLength(1);
    const other = createAuthenticator({ origin: ORIGIN });
    expect((await post(me, `/factors/${second}/verify`, answerFor(other, asked))).status).toBe(200);
    const again = await enter(server, me);
    expect((await show(again, me.factorId, other)).status).toBe(200);
    const [session] = await server.sql('select factor_id from auth.sessions where id = $1', [
      decodeJwt(again.session.access_token)['session_id'],
    ]);
    expect(session?.['factor_id']).toBe(second);
  });

  test('a key whose set-up was begun with the password alone is refused once the owner has an app', async () => {
    const thief = await enter(server);
    const factorId = await enrol(thief);
    const owner = await enter(server, thief);
    await proveApp(server, owner, await enrolApp(owner));
    const again = await enter(server, thief);
    const key = createAuthenticator({ origin: ORIGIN });
    const { status, code, json } = await show(again, factorId, key);
    expect([status, code, json]).toMatchObject([
      403,
      'insufficient_aal',
      { msg: 'AAL2 required to enroll a new factor' },
    ]);
    expect((await owner.client.auth.getUser()).error).toBeNull();
    const { data } = await owner.client.auth.getSession();
    const session = data.session ?? owner.session;
    expect((await show({ ...owner, session }, factorId, key)).status).toBe(200);
  });
});

describe('answers that prove nothing → 422 mfa_verification_failed', () => {
  const refused = { status: 422, code: 'mfa_verification_failed' };

  test('of another page or for another name', async () => {
    const me = await enter(server);
    const factorId = await enrol(me);
    for (const origin of ['https://boese.test', 'http://localhost.boese.test', 'http://127.0.0.1:3000', 'null']) {
      expect(await show(me, factorId, createAuthenticator({ origin }))).toMatchObject(refused);
    }
    const other = createAuthenticator({ origin: ORIGIN, rpId: 'boese.test' });
    expect(await show(me, factorId, other)).toMatchObject(refused);
    expect((await me.client.auth.mfa.listFactors()).data?.webauthn).toEqual([]);
  });

  test('of an unknown key, or with the signature of another one', async () => {
    const me = await enterWithKey();
    const low = await enter(server, me);
    const stranger = createAuthenticator({ origin: ORIGIN });
    expect(await show(low, me.factorId, stranger)).toMatchObject(refused);
    const asked = await ask(low, me.factorId);
    const { publicKey } = asked.webauthn.credential_options;
    const mixed = { ...me.key.get(publicKey), response: stranger.get(publicKey).response };
    const body = { challenge_id: asked.id, webauthn: { type: 'request', credential_response: mixed } };
    expect(await post(low, `/factors/${me.factorId}/verify`, body)).toMatchObject(refused);
  });

  test('to another challenge, or the same answer again', async () => {
    const me = await enterWithKey();
    const low = await enter(server, me);
    const [first, second] = [await ask(low, me.factorId), await ask(low, me.factorId)];
    const answer = answerFor(me.key, first);
    const path = `/factors/${me.factorId}/verify`;
    expect(await post(low, path, { ...answer, challenge_id: second.id })).toMatchObject(refused);
    expect((await post(low, path, answer)).status).toBe(200);
    expect(await post(low, path, answer)).toMatchObject({ status: 422, code: 'mfa_ip_address_mismatch' });
  });

  test('a copied key betrays itself by its counter', async () => {
    const me = await enterWithKey();
    await server.sql(
      `update auth.mfa_factors
        set web_authn_credential = jsonb_set(web_authn_credential, '{authenticator,signCount}', '100') where id = $1`,
      [me.factorId],
    );
    expect(await show(await enter(server, me), me.factorId, me.key)).toMatchObject(refused);
  });

  test('a new key for a factor that counts already', async () => {
    const me = await enterWithKey();
    const low = await enter(server, me);
    const asked = await ask(low, me.factorId);
    const { challenge } = asked.webauthn.credential_options.publicKey;
    const made = createAuthenticator({ origin: ORIGIN }).create({ challenge, rp: { id: 'localhost' } });
    const body = { challenge_id: asked.id, webauthn: { type: 'create', credential_response: made } };
    expect(await post(low, `/factors/${me.factorId}/verify`, body)).toMatchObject(refused);
  });
});

describe('malformed answers', () => {
  const asIs = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} };
  test.each([
    [undefined, 'WebAuthn config required'],
    [null, 'WebAuthn config required'],
    [{}, 'WebAuthn type must be create or request'],
    [{ type: 'other' }, 'WebAuthn type must be create or request'],
    [{ type: 'create' }, 'Invalid credential_response'],
    [{ type: 'create', credential_response: 'x' }, 'Invalid credential_response'],
    [{ type: 'create', credential_response: { ...asIs, response: {} } }, 'Invalid credential_response'],
    [
      { type: 'request', credential_response: { ...asIs, response: { clientDataJSON: '💥' } } },
      'Invalid credential_response',
    ],
  ])('%j → 400 %s', async (webauthn, message) => {
    const me = await enter(server);
    const factorId = await enrol(me);
    const { json, status } = await post(me, `/factors/${factorId}/verify`, { challenge_id: randomUUID(), webauthn });
    expect([status, (json as { msg: string }).msg]).toEqual([400, message]);
  });

  test('bytes that are no CBOR, no JSON, no key → 422', async () => {
    const me = await enter(server);
    const factorId = await enrol(me);
    const path = `/factors/${factorId}/verify`;
    const endless = Buffer.alloc(5_000, 0x9f).toString('base64url');
    for (const attestationObject of ['', 'AAAA', 'o2NmbXRkbm9uZWdhdHRTdG10oA', 'oA', endless]) {
      const asked = await ask(me, factorId);
      const { challenge } = asked.webauthn.credential_options.publicKey;
      const right = JSON.stringify({ type: 'webauthn.create', origin: ORIGIN, challenge });
      for (const clientData of ['', '0', 'null', '{"type":"webauthn.create"}', right]) {
        const clientDataJSON = Buffer.from(clientData).toString('base64url');
        const credential_response = { ...asIs, response: { clientDataJSON, attestationObject } };
        const body = { challenge_id: asked.id, webauthn: { type: 'create', credential_response } };
        expect(await post(me, path, body)).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
      }
    }
  });
});
