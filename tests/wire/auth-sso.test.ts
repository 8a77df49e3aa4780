import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend } from '#tests/support/auth-backend.ts';
import { getClaims, pkceClient } from '#tests/support/auth-pkce.ts';
import { startSsoWorld, type SsoLanding, type SsoWorld } from '#tests/support/auth-sso.ts';
import { createSamlIdp, type Posted, type Said } from '#tests/support/saml-idp.ts';
import { addPerson } from '#tests/support/people.ts';

let world: SsoWorld;
beforeAll(async () => void (world = await startSsoWorld()));
afterAll(() => world.server.stop());

describe('§7 POST /sso → POST /sso/saml/acs', () => {
  test('a signed request, a session, an account managed by the company (D14: also without registration)', async () => {
    const email = world.fresh();
    const { status, url, fragment } = await world.post(
      await world.idp.answer(await world.departure(), email.toUpperCase()),
    );
    expect([status, url.origin + url.pathname]).toEqual([302, world.home]);
    const claims = getClaims(fragment.get('access_token') ?? '');
    expect(claims).toMatchObject({
      email,
      amr: [{ method: 'sso/saml', provider: world.providerId }],
      app_metadata: { provider: `sso:${world.providerId}`, providers: [`sso:${world.providerId}`] },
      user_metadata: { iss: world.idp.entityId, email_verified: true },
    });
    const client = world.server.client();
    await client.auth.setSession({
      access_token: fragment.get('access_token') ?? '',
      refresh_token: fragment.get('refresh_token') ?? '',
    });
    for (const change of [{ email: world.fresh() }, { password: 'ein eigenes Passwort' }]) {
      expect((await client.auth.updateUser(change)).error).toMatchObject({ status: 422, code: 'user_sso_managed' });
    }
    expect((await client.auth.updateUser({ data: { farbe: 'blau' } })).error).toBeNull();
  });

  test('the same person again, by the identity and not by the address', async () => {
    const email = world.fresh();
    const first = getClaims((await world.signOn(email)).fragment.get('access_token') ?? '');
    const second = await world.signOn(world.fresh(), { nameId: `id of ${email}` });
    expect(getClaims(second.fragment.get('access_token') ?? '')['sub']).toBe(first['sub']);
  });

  test('stands apart from every other account with the same address', async () => {
    const { email, id } = await addPerson(world.server);
    const claims = getClaims((await world.signOn(email)).fragment.get('access_token') ?? '');
    expect(claims).toMatchObject({ email });
    expect(claims['sub']).not.toBe(id);
    const other = createSamlIdp(world.ownMetadata);
    const elsewhere = await world.signOn(email, {}, other, await world.establish(other));
    expect(getClaims(elsewhere.fragment.get('access_token') ?? '')['sub']).not.toBe(claims['sub']);
  });

  test('PKCE: a code', async () => {
    const email = world.fresh();
    const client = pkceClient(world.server);
    const { url, query } = await world.post(await world.idp.answer(await world.departure(client), email));
    expect(url.hash).toBe('');
    const { data } = await client.auth.exchangeCodeForSession(query.get('code') ?? '');
    expect(data.user?.email).toBe(email);
    expect(getClaims(data.session?.access_token)['amr']).toMatchObject([
      { method: 'sso/saml', provider: world.providerId },
    ]);
  });

  test('without skip_http_redirect → 303 to the identity provider', async () => {
    const response = await world.server.call('POST', '/sso', { domain: world.domain.toUpperCase() });
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^https:\/\/idp\.test\/sso\?SAMLRequest=/),
    ]);
  });

  test('a response that is signed as a whole', async () => {
    const whole = createSamlIdp(world.ownMetadata, { signs: 'message' });
    const { fragment } = await world.signOn(world.fresh(), {}, whole, await world.establish(whole));
    expect(fragment.has('access_token')).toBe(true);
  });

  test('threat 16 only listed addresses are led to', async () => {
    const { data } = await world.server
      .client()
      .auth.signInWithSSO({ domain: world.domain, options: { redirectTo: 'https://boese.test' } });
    const { url } = await world.post(await world.idp.answer(data?.url ?? '', world.fresh()));
    expect(url.origin).toBe('http://127.0.0.1:3000');
  });

  test.each([
    [{}, 400, 'validation_failed', 'A provider_id or domain needs to be provided'],
    [
      { provider_id: randomUUID(), domain: 'firma.beispiel.test' },
      400,
      'validation_failed',
      'Only one of provider_id or domain supported',
    ],
    [{ provider_id: 'keine' }, 400, 'bad_json', 'Could not parse request body as JSON: provider_id: Invalid UUID'],
    [{ provider_id: randomUUID() }, 404, 'sso_provider_not_found', 'No such SSO provider'],
    [{ domain: 'unbekannt.test' }, 404, 'sso_provider_not_found', 'No SSO provider assigned for this domain'],
    [
      { domain: 'firma.beispiel.test', code_challenge: 'a'.repeat(43) },
      400,
      'validation_failed',
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
  ])('%j → %i %s', async (body, status, error_code, msg) => {
    const response = await world.server.call('POST', '/sso', body);
    expect(await response.json()).toEqual({ code: status, error_code, msg });
  });
});

describe('SAML 2.0 Profiles §4.1: refused responses', () => {
  const REFUSED = {
    error: 'invalid_request',
    error_code: 'validation_failed',
    error_description: 'SAML Assertion is not valid',
  };
  const refusal = async (landing: Promise<SsoLanding>): Promise<void> => {
    const { status, url, query } = await landing;
    expect([status, url.origin, Object.fromEntries(query)]).toEqual([303, 'http://127.0.0.1:3000', REFUSED]);
  };

  test.each<[string, Partial<Said>]>([
    ['another issuer', { issuer: 'https://boese.test' }],
    ['another audience', { audience: 'https://boese.test' }],
    ['another recipient', { recipient: 'https://boese.test/acs' }],
    ['another destination', { destination: 'https://boese.test/acs' }],
    ['another request', { inResponseTo: '_anders' }],
    ['no request', { inResponseTo: '' }],
    ['too late', { until: -120 }],
    ['too early', { from: 120 }],
    ['no success', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }],
  ])('%s', (_name, change) => refusal(world.signOn(world.fresh(), change)));

  test('a key that is not in the metadata, SHA-1, no signature at all', async () => {
    for (const options of [{ key: 'another' }, { algorithm: 'sha1' }, { signs: 'nothing' }] as const) {
      const odd = createSamlIdp(world.ownMetadata, options);
      await refusal(world.signOn(world.fresh(), {}, odd, await world.establish(odd)));
    }
  });

  const altered = (posted: Posted, change: (xml: string) => string): Posted => ({
    ...posted,
    SAMLResponse: Buffer.from(change(Buffer.from(posted.SAMLResponse, 'base64').toString())).toString('base64'),
  });

  test('an assertion that was changed, wrapped, doubled or given entities', async () => {
    const email = world.fresh();
    const changes: ((xml: string) => string)[] = [
      (xml) => xml.replaceAll(email, 'chef@firma.beispiel.test'),
      (xml) => xml.replace(/<saml:Issuer>/, '<!-- x --><saml:Issuer>').replace(/<saml:NameID[^>]*>/, '$&chef<!---->'),
      // The signed assertion is moved aside and an unsigned one takes its place.
      (xml) => {
        const signed = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? '';
        const forged = signed.replace(/ID="_[^"]+"/, 'ID="_falsch"').replaceAll(email, 'chef@firma.beispiel.test');
        const unsigned = forged.replace(/<ds:Signature[\s\S]*?<\/ds:Signature>/, '');
        return xml.replace(signed, `${unsigned}<samlp:Extensions>${signed}</samlp:Extensions>`);
      },
      (xml) => {
        const signed = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? '';
        return xml.replace(signed, signed + signed.replace(/ID="_[^"]+"/, 'ID="_zwei"'));
      },
      (xml) => xml.replace(/<ds:Signature[\s\S]*?<\/ds:Signature>/, ''),
      (xml) => `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml}`,
    ];
    for (const change of changes) {
      await refusal(world.post(altered(await world.idp.answer(await world.departure(), email), change)));
    }
    expect(await world.server.sql('select id from auth.users where email = $1', ['chef@firma.beispiel.test'])).toEqual(
      [],
    );
  });

  test('a relay state is good once', async () => {
    const form = await world.idp.answer(await world.departure(), world.fresh());
    expect((await world.post(form)).fragment.has('access_token')).toBe(true);
    const again = await world.post(form);
    expect([again.status, again.query.get('error_code'), again.query.get('error')]).toEqual([
      303,
      'saml_relay_state_not_found',
      'server_error',
    ]);
  });

  test('ten at once with the same form open one session', async () => {
    const form = await world.idp.answer(await world.departure(), world.fresh());
    const landings = await Promise.all(Array.from({ length: 10 }, () => world.post(form)));
    expect(landings.filter(({ fragment }) => fragment.has('access_token'))).toHaveLength(1);
  });

  test('refuses an assertion without a persistent id or an address', async () => {
    const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    const codes = [
      (await world.signOn(world.fresh(), { nameIdFormat: transient })).query.get('error_code'),
      (await world.signOn(world.fresh(), { attributes: {} })).query.get('error_code'),
      (await world.signOn(world.fresh(), { attributes: { email: ['keine Adresse'] } })).query.get('error_code'),
    ];
    expect(codes).toEqual(['saml_assertion_no_user_id', 'saml_assertion_no_email', 'saml_assertion_no_email']);
  });
});

describe('the identity provider begins', () => {
  test('a session, led to the relay state where that is listed', async () => {
    const { url, fragment } = await world.post(await world.idp.unasked(world.fresh(), {}, world.home));
    expect([url.origin + url.pathname, fragment.has('access_token')]).toEqual([world.home, true]);
    const away = await world.post(await world.idp.unasked(world.fresh(), {}, 'https://boese.test/'));
    expect(away.url.origin).toBe('http://127.0.0.1:3000');
  });

  test('the same assertion a second time is refused', async () => {
    const form = await world.idp.unasked(world.fresh());
    expect((await world.post(form)).fragment.has('access_token')).toBe(true);
    expect((await world.post(form)).query.get('error_description')).toBe('SAML Assertion is not valid');
    const parallel = await world.idp.unasked(world.fresh());
    const landings = await Promise.all(Array.from({ length: 10 }, () => world.post(parallel)));
    expect(landings.filter(({ fragment }) => fragment.has('access_token'))).toHaveLength(1);
  });

  test('refuses an answer to another request', async () => {
    const form = await world.idp.answer(await world.departure(), world.fresh());
    expect((await world.post({ ...form, RelayState: '' })).query.get('error_description')).toBe(
      'SAML Assertion is not valid',
    );
  });

  test.each<[Partial<Posted> & { SAMLart?: string }, string, string]>([
    [{ SAMLResponse: '' }, 'validation_failed', 'SAMLResponse is missing'],
    [{ SAMLResponse: '%%%' }, 'validation_failed', 'SAMLResponse is not a valid Base64 string'],
    [{ SAMLResponse: 'YWJj' }, 'validation_failed', 'SAMLResponse is not a valid XML SAML assertion'],
    [{ RelayState: 'irgendwas' }, 'validation_failed', 'SAML RelayState is not a valid UUID or URL'],
    [{ SAMLart: 'x' }, 'validation_failed', 'SAML Artifact response can only be used with SP initiated flow'],
    [
      { RelayState: randomUUID() },
      'saml_relay_state_not_found',
      'SAML RelayState does not exist, try logging in again?',
    ],
  ])('%j → %s', async (change, code, description) => {
    const { query } = await world.post({ ...(await world.idp.unasked(world.fresh())), ...change });
    expect([query.get('error_code'), query.get('error_description')]).toEqual([code, description]);
  });

  test('an unknown identity provider → saml_idp_not_found', async () => {
    const { query } = await world.post(await createSamlIdp(world.ownMetadata).unasked(world.fresh()));
    expect(query.get('error_code')).toBe('saml_idp_not_found');
  });
});

describe('attributes', () => {
  test('become claims as the mapping says', async () => {
    const mapped = createSamlIdp(world.ownMetadata);
    const keys = {
      name: { name: 'displayName' },
      email: { names: ['missing', 'urn:mail'] },
      gruppen: { name: 'groups', array: true },
      sprache: { name: 'lang', default: 'de' },
    };
    const id = await world.establish(mapped, { attribute_mapping: { keys } });
    const email = world.fresh();
    const attributes = { DISPLAYNAME: ['Ada'], 'urn:mail': [email], groups: ['a', 'b'], email: ['x@y.test'] };
    const { fragment } = await world.signOn(world.fresh(), { attributes }, mapped, id);
    const { email: own, user_metadata } = getClaims(fragment.get('access_token') ?? '');
    expect([own, user_metadata]).toMatchObject([
      email,
      { name: 'Ada', custom_claims: { gruppen: ['a', 'b'], sprache: 'de' } },
    ]);
  });
});

describe('switched off', () => {
  test('[auth.saml] enabled = false → 404 saml_provider_disabled', async () => {
    const off = await bootAuthBackend();
    const { error } = await off.client().auth.signInWithSSO({ domain: 'firma.beispiel.test' });
    expect(error).toMatchObject({ status: 404, code: 'saml_provider_disabled', message: 'SAML 2.0 is disabled' });
    expect((await off.call('GET', '/sso/saml/metadata')).status).toBe(404);
    await off.stop();
  });

  test('one provider → 404 sso_provider_disabled, on the way there and back', async () => {
    const one = createSamlIdp(world.ownMetadata);
    const id = await world.establish(one);
    const url = await world.departure(world.server.client(), { providerId: id });
    await world.admin('PUT', `/admin/sso/providers/${id}`, { disabled: true });
    expect((await world.post(await one.answer(url, world.fresh()))).query.get('error_code')).toBe(
      'sso_provider_disabled',
    );
    const { error } = await world.server.client().auth.signInWithSSO({ providerId: id });
    expect(error).toMatchObject({ status: 404, code: 'sso_provider_disabled' });
  });
});

describe('GET /sso/saml/metadata', () => {
  test('names this service, its key and where answers go; the same on every call', async () => {
    const response = await world.server.call('GET', '/sso/saml/metadata?download=true');
    expect([response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual([
      expect.stringContaining('application/xml'),
      'attachment; filename="metadata.xml"',
    ]);
    const xml = await response.text();
    expect(xml).toBe(world.ownMetadata);
    expect(xml).toContain('entityID="http://127.0.0.1:3000/auth/v1/sso/saml/metadata"');
    expect(xml).toContain('Location="http://127.0.0.1:3000/auth/v1/sso/saml/acs"');
    expect(xml).toMatch(/<ds:X509Certificate>[A-Za-z0-9+/=\s]{800,}<\/ds:X509Certificate>/);
    expect(xml).not.toContain('PRIVATE');
  });
});

describe('[auth.saml] external_url', () => {
  test('names this service in metadata, requests and assertions', async () => {
    const other = await startSsoWorld({ external_url: 'https://sso.beispiel.test/auth/v1/' });
    expect(other.ownMetadata).toContain('entityID="https://sso.beispiel.test/auth/v1/sso/saml/metadata"');
    expect(other.ownMetadata).toContain('Location="https://sso.beispiel.test/auth/v1/sso/saml/acs"');
    expect((await other.signOn(other.fresh())).fragment.has('access_token')).toBe(true);
    await other.server.stop();
  });
});

describe('times', () => {
  let late: SsoWorld;
  beforeAll(async () => void (late = await startSsoWorld()));
  afterAll(() => late.server.stop());

  test('a relay state is good for two minutes, a session as long as that of the company', async () => {
    const form = await late.idp.answer(await late.departure(), late.fresh());
    const { fragment } = await late.signOn(late.fresh(), { sessionUntil: 3_600 });
    const refresh_token = fragment.get('refresh_token') ?? '';
    late.server.advance(120_000);
    expect((await late.post(form)).query.get('error_code')).toBe('saml_relay_state_expired');
    const { data, error } = await late.server.client().auth.refreshSession({ refresh_token });
    expect(error).toBeNull();
    late.server.advance(3_600_000);
    const over = await late.server.client().auth.refreshSession({ refresh_token: data.session?.refresh_token ?? '' });
    expect(over.error?.code).toBe('session_expired');
  });

  test('an assertion that is too old for this server’s clock is refused', async () => {
    const { query } = await late.signOn(late.fresh());
    expect(query.get('error_description')).toBe('SAML Assertion is not valid');
  });
});
