import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { CALLBACK_URL, comeBack, externalConfig, type Landing } from '#tests/support/auth-external.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { getClaims, pkceClient } from '#tests/support/auth-pkce.ts';
import { startOauthProvider, type OauthProvider } from '#tests/support/oauth-provider.ts';
import { browse, startOpenidProvider, type OpenidProvider } from '#tests/support/openid-provider.ts';
import { addPerson } from '#tests/support/people.ts';

const HOME = 'https://app.beispiel.test/x';
let openid: OpenidProvider;
let oauth: OauthProvider;
let server: AuthBackend;
beforeAll(async () => {
  openid = await startOpenidProvider(CALLBACK_URL);
  oauth = await startOauthProvider();
  server = await bootAuthBackend({
    auth: (auth) => ({
      ...mailing(auth),
      internal_hosts: [openid.host, oauth.host],
      external: {
        keycloak: externalConfig(openid.config),
        apple: externalConfig(openid.config),
        github: externalConfig(oauth.config),
        google: externalConfig({ client_id: 'x', secret: 'y' }),
        gitlab: externalConfig({ enabled: true, client_id: 'x', secret: 'y', url: 'http://127.0.0.1:9' }),
        firma: externalConfig({ enabled: true, client_id: 'x', secret: 'y' }),
        ohne: externalConfig({ enabled: true, secret: 'y', url: openid.issuer }),
        generisch: externalConfig({
          enabled: true,
          client_id: 'gh-client',
          secret: 'gh-secret',
          authorization_url: `http://${oauth.host}/login/oauth/authorize`,
          token_url: `http://${oauth.host}/login/oauth/access_token`,
          userinfo_url: `http://${oauth.host}/api/v3/user`,
          email_optional: true,
        }),
      },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await openid.stop();
  await oauth.stop();
});

const fresh = (): string => `${randomUUID()}@beispiel.test`;

/** Somebody at the OpenID provider. */
function account(email: string, verified: boolean): string {
  const subject = randomUUID();
  openid.addAccount(subject, { email, email_verified: verified, name: 'Ada', picture: 'https://x.test/a.png' });
  return subject;
}

type Provider = Parameters<SupabaseClient['auth']['signInWithOAuth']>[0]['provider'];

/** What the official client makes a browser open. */
async function beginSignIn(
  client: SupabaseClient,
  provider: string,
  queryParams: Record<string, string>,
): Promise<string> {
  const options = { redirectTo: HOME, skipBrowserRedirect: true, queryParams };
  const { data, error } = await client.auth.signInWithOAuth({ provider: provider as Provider, options });
  if (error !== null) throw error;
  const response = await server.call(
    'GET',
    new URL(data.url ?? '').pathname.replace('/auth/v1', '') + new URL(data.url ?? '').search,
  );
  expect(response.status).toBe(302);
  return response.headers.get('location') ?? '';
}

async function signIn(subject: string, client = server.client()): Promise<Landing> {
  return comeBack(server, await openid.signIn(await beginSignIn(client, 'keycloak', { login_hint: subject })));
}

describe('§7 GET /authorize → /callback, OpenID', () => {
  test('implicit flow: a new account, a session and the provider’s tokens in the fragment', async () => {
    const email = fresh();
    const subject = account(email.toUpperCase(), true);
    const { status, url, fragment } = await signIn(subject);
    expect([status, url.origin + url.pathname, url.search]).toEqual([302, HOME, '']);
    expect([fragment.get('token_type'), fragment.get('sb')]).toEqual(['bearer', '']);
    expect([fragment.get('provider_token'), fragment.get('provider_refresh_token')]).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
    const claims = getClaims(fragment.get('access_token') ?? '');
    expect(claims).toMatchObject({
      email,
      app_metadata: { provider: 'keycloak', providers: ['keycloak'] },
      amr: [{ method: 'oauth' }],
    });
    const { data } = await server.service().auth.admin.getUserById(String(claims['sub']));
    expect(data.user).toMatchObject({
      email_confirmed_at: expect.any(String),
      user_metadata: { full_name: 'Ada', avatar_url: 'https://x.test/a.png', email_verified: true, sub: subject },
      identities: [
        {
          id: subject,
          provider: 'keycloak',
          email,
          identity_data: { iss: openid.issuer, email, provider_id: subject },
        },
      ],
    });
  });

  test('PKCE flow: a code, and the provider’s tokens with the session', async () => {
    const email = fresh();
    const client = pkceClient(server);
    const { url, query } = await signIn(account(email, true), client);
    expect([url.hash, query.get('code')]).toEqual(['', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const rows = await server.sql(
      'select provider_access_token as token from auth.flow_state where user_id is not null',
    );
    const { data, error } = await client.auth.exchangeCodeForSession(query.get('code') ?? '');
    expect([error, data.user?.email]).toEqual([null, email]);
    expect(data.session).toMatchObject({
      provider_token: expect.any(String),
      provider_refresh_token: expect.any(String),
    });
    expect(JSON.stringify(rows)).not.toContain(data.session?.provider_token);
  });

  test('the same person comes again, their data follows', async () => {
    const subject = account(fresh(), true);
    const first = getClaims((await signIn(subject)).fragment.get('access_token') ?? '');
    openid.addAccount(subject, { email: fresh(), email_verified: true, name: 'Ada L.' });
    const second = getClaims((await signIn(subject)).fragment.get('access_token') ?? '');
    expect(second).toMatchObject({ sub: first['sub'], email: first['email'], user_metadata: { name: 'Ada L.' } });
  });

  test('parameters for the provider pass, those of this service do not', async () => {
    const query = {
      provider: 'keycloak',
      prompt: 'login',
      state: 'x',
      redirect_uri: 'https://boese.test',
      client_id: 'z',
      scopes: 'phone,address',
    };
    const response = await server.call('GET', `/authorize?${new URLSearchParams(query)}`);
    const { searchParams: sent } = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(sent)).toMatchObject({
      prompt: 'login',
      client_id: 'this-backend',
      redirect_uri: CALLBACK_URL,
      scope: 'openid email profile phone address',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(sent.get('redirect_to')).toBeNull();
  });

  test.each([
    ['unbekannt', 'Unsupported provider: Provider unbekannt could not be found'],
    ['', 'Unsupported provider: Provider  could not be found'],
    ['google', 'Unsupported provider: provider is not enabled'],
    ['azure', 'Unsupported provider: provider is not enabled'],
    ['firma', 'Unsupported provider: unable to find URL for the firma provider'],
    ['ohne', 'Unsupported provider: missing OAuth client ID'],
    ['gitlab', 'Unsupported provider: provider gitlab could not be reached'],
    ['__proto__', 'Unsupported provider: Provider __proto__ could not be found'],
  ])('provider %j → 400', async (provider, msg) => {
    const response = await server.call('GET', `/authorize?provider=${provider}`);
    expect(await response.json()).toEqual({ code: 400, error_code: 'validation_failed', msg });
  });

  test.each([
    '//boese.test',
    String.raw`/\boese.test`,
    'javascript:alert(1)',
    'https://app.beispiel.test.boese.test/',
    '%2F%2Fboese.test',
  ])('threat 16 redirect_to %s leads to the site itself', async (redirectTo) => {
    const query = new URLSearchParams({
      provider: 'keycloak',
      redirect_to: redirectTo,
      login_hint: account(fresh(), true),
    });
    const response = await server.call('GET', `/authorize?${query}`);
    const { url } = await comeBack(server, await openid.signIn(response.headers.get('location') ?? ''));
    expect(url.origin).toBe('http://127.0.0.1:3000');
  });
});

describe('contract §1.4 faults on the way back', () => {
  const readRefusal = (search: string): Promise<Landing> => comeBack(server, new URL(`http://x.test/?${search}`));

  test.each([
    ['code=x', 'invalid_request', 'bad_oauth_callback', 'OAuth state parameter missing'],
    ['code=x&state=abc', 'invalid_request', 'bad_oauth_state', 'OAuth state parameter is invalid'],
    [`code=x&state=${randomUUID()}`, 'invalid_request', 'bad_oauth_state', 'OAuth state not found or expired'],
  ])('%s → 303 to the site', async (search, error, error_code, error_description) => {
    const { status, url, query } = await readRefusal(search);
    expect([status, url.origin, url.hash]).toEqual([303, 'http://127.0.0.1:3000', '']);
    expect(Object.fromEntries(query)).toEqual({ error, error_code, error_description });
  });

  test('a refusal at the provider returns with its words', async () => {
    const url = await beginSignIn(server.client(), 'keycloak', { login_hint: account(fresh(), true) });
    const { status, query, fragment } = await comeBack(server, await openid.signIn(url, 'refuse'));
    const members = { error: 'access_denied', error_description: 'End-User aborted interaction' };
    expect([status, Object.fromEntries(query)]).toEqual([302, members]);
    expect(Object.fromEntries(fragment)).toEqual({ ...members, sb: '' });
  });

  test('a state is good for one return', async () => {
    const back = await openid.signIn(
      await beginSignIn(server.client(), 'keycloak', { login_hint: account(fresh(), true) }),
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => comeBack(server, back)));
    expect(answers.filter(({ fragment }) => fragment.has('access_token'))).toHaveLength(1);
    expect((await comeBack(server, back)).query.get('error_code')).toBe('bad_oauth_state');
  });

  test('in a PKCE flow too', async () => {
    const client = pkceClient(server);
    const back = await openid.signIn(await beginSignIn(client, 'keycloak', { login_hint: account(fresh(), true) }));
    expect((await comeBack(server, back)).query.has('code')).toBe(true);
    expect((await comeBack(server, back)).query.get('error_code')).toBe('flow_state_already_used');
  });

  test('Refuses a return whose own secret is gone → oauth_client_state_not_found (contract §1.4)', async () => {
    const back = await openid.signIn(
      await beginSignIn(server.client(), 'keycloak', { login_hint: account(fresh(), true) }),
    );
    await server.sql('delete from auth.oauth_client_states');
    const { status, query, fragment } = await comeBack(server, back);
    expect([status, query.get('error_code')]).toEqual([302, 'oauth_client_state_not_found']);
    expect(fragment.has('access_token')).toBe(false);
  });

  test('a state ends after five minutes', async () => {
    const back = await openid.signIn(
      await beginSignIn(server.client(), 'keycloak', { login_hint: account(fresh(), true) }),
    );
    server.advance(300_001);
    expect((await comeBack(server, back)).query.get('error_description')).toBe('OAuth state has expired');
  });

  test.each([
    ['without a code', (back: URL) => back.searchParams.delete('code'), 'bad_oauth_callback'],
    ['with a made-up code', (back: URL) => back.searchParams.set('code', 'falsch'), 'unexpected_failure'],
    ['from another issuer', (back: URL) => back.searchParams.set('iss', 'https://boese.test'), 'unexpected_failure'],
  ])('%s → %s', async (_name, change, code) => {
    const back = await openid.signIn(
      await beginSignIn(server.client(), 'keycloak', { login_hint: account(fresh(), true) }),
    );
    change(back);
    const { query } = await comeBack(server, back);
    expect(query.get('error_code')).toBe(code);
  });

  test('without an address → 500 in the query, unless that is allowed', async () => {
    const subject = randomUUID();
    openid.addAccount(subject, { name: 'Ohne' });
    const { query } = await signIn(subject);
    expect(Object.fromEntries(query)).toEqual({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Error getting user email from external provider',
    });
  });
});

describe('contract §1.4 choice of the account', () => {
  test('a verified address leads to the account that has it', async () => {
    const { email, id } = await addPerson(server);
    const claims = getClaims((await signIn(account(email, true))).fragment.get('access_token') ?? '');
    expect(claims).toMatchObject({ sub: id, app_metadata: { provider: 'email', providers: ['email', 'keycloak'] } });
  });

  test('an address that the provider does not vouch for never does, and nothing is made', async () => {
    const { email, id } = await addPerson(server);
    const subject = account(email, false);
    const { query } = await signIn(subject);
    expect(query.get('error_code')).toBe('provider_email_needs_verification');
    expect(query.get('error')).toBe('access_denied');
    expect(await server.sql('select id from auth.identities where provider_id = $1', [subject])).toEqual([]);
    openid.addAccount(subject, { email, email_verified: true });
    expect(getClaims((await signIn(subject)).fragment.get('access_token') ?? '')['sub']).toBe(id);
  });

  test('nor where confirmations are off', async () => {
    const open = await bootAuthBackend({
      auth: () => ({
        enable_signup: true,
        internal_hosts: [openid.host],
        external: { keycloak: externalConfig(openid.config) },
      }),
    });
    const { email } = await addPerson(open);
    const query = new URLSearchParams({ provider: 'keycloak', login_hint: account(email, false) });
    const response = await open.call('GET', `/authorize?${query}`);
    const landing = await comeBack(open, await openid.signIn(response.headers.get('location') ?? ''));
    expect(landing.query.get('error_code')).toBe('provider_email_needs_verification');
    await open.stop();
  });

  test('a free unverified address waits for the confirmation mail', async () => {
    const email = fresh();
    const subject = account(email, false);
    const { query } = await signIn(subject);
    expect(query.get('error_description')).toBe(
      'Unverified email with keycloak. A confirmation email has been sent to your keycloak email',
    );
    await follow(server, await mailTo(server, email));
    const claims = getClaims((await signIn(subject)).fragment.get('access_token') ?? '');
    expect(claims).toMatchObject({ email, app_metadata: { providers: ['keycloak'] } });
  });

  test('an unconfirmed account goes to the verified owner of its address', async () => {
    const email = fresh();
    const password = 'des Angreifers Passwort';
    await server.client().auth.signUp({ email, password, options: { data: { name: 'Angreifer' } } });
    const mail = await mailTo(server, email);
    const claims = getClaims((await signIn(account(email, true))).fragment.get('access_token') ?? '');
    expect(claims).toMatchObject({ email, app_metadata: { providers: ['keycloak'] }, user_metadata: { name: 'Ada' } });
    expect((await server.client().auth.signInWithPassword({ email, password })).error?.code).toBe(
      'invalid_credentials',
    );
    expect((await follow(server, mail)).members.get('error_code')).toBe('otp_expired');
  });

  test('Without registration → signup_disabled; an existing account signs in (D14)', async () => {
    const closed = await bootAuthBackend({
      auth: () => ({ internal_hosts: [openid.host], external: { keycloak: externalConfig(openid.config) } }),
    });
    const enter = async (subject: string): Promise<Landing> => {
      const response = await closed.call('GET', `/authorize?provider=keycloak&login_hint=${subject}`);
      return comeBack(closed, await openid.signIn(response.headers.get('location') ?? ''));
    };
    const { query } = await enter(account(fresh(), true));
    expect([query.get('error'), query.get('error_code')]).toEqual(['access_denied', 'signup_disabled']);
    const { email } = await addPerson(closed);
    expect((await enter(account(email, true))).fragment.has('access_token')).toBe(true);
    await closed.stop();
  });

  test('a banned user → user_banned', async () => {
    const { email, id } = await addPerson(server);
    await server.service().auth.admin.updateUserById(id, { ban_duration: '1h' });
    const { query } = await signIn(account(email, true));
    expect([query.get('error'), query.get('error_code')]).toEqual(['access_denied', 'user_banned']);
  });

  /** Comes back to an invitation of `email`, signed in at the provider as `subject`; `meanwhile` runs before. */
  async function acceptInvitation(
    email: string,
    subject: string,
    meanwhile: (link: URL) => Promise<unknown> = async () => undefined,
  ): Promise<Landing> {
    await server.service().auth.admin.inviteUserByEmail(email);
    const { link } = await mailTo(server, email);
    const query = { provider: 'keycloak', invite_token: link.searchParams.get('token') ?? '', login_hint: subject };
    const response = await server.call('GET', `/authorize?${new URLSearchParams(query)}`);
    const back = await openid.signIn(response.headers.get('location') ?? '');
    await meanwhile(link);
    return comeBack(server, back);
  }

  test('accepts an invitation through the provider', async () => {
    const email = fresh();
    const { fragment } = await acceptInvitation(email, account(email, true));
    const [invited] = await server.sql('select id::text from auth.users where email = $1', [email]);
    expect(getClaims(fragment.get('access_token') ?? '')['sub']).toBe(invited?.['id']);
    const wrong = await server.call('GET', '/authorize?provider=keycloak&invite_token=falsch');
    expect([wrong.status, wrong.headers.get('x-sb-error-code')]).toEqual([404, 'user_not_found']);
  });

  test('An invitation that was accepted meanwhile → invite_not_found (contract §1.4)', async () => {
    const email = fresh();
    const { query, fragment } = await acceptInvitation(email, account(email, true), (link) =>
      server.call('GET', `/verify${link.search}`),
    );
    expect([query.get('error_code'), fragment.has('access_token')]).toEqual(['invite_not_found', false]);
  });

  test.each([
    ['of another address', () => account(fresh(), true)],
    ['that the provider does not vouch for', (email: string) => account(email, false)],
  ])('An invitation and an identity %s → validation_failed (contract §1.4)', async (_name, createSubject) => {
    const email = fresh();
    const { query } = await acceptInvitation(email, createSubject(email));
    expect([query.get('error_code'), query.get('error_description')]).toEqual([
      'validation_failed',
      'Invited email does not match emails from external provider',
    ]);
    const [user] = await server.sql('select email_confirmed_at from auth.users where email = $1', [email]);
    expect(user).toEqual({ email_confirmed_at: null });
  });

  test('An invitation and an identity of another account → identity_already_exists (contract §1.4)', async () => {
    const email = fresh();
    const subject = account(fresh(), true);
    expect((await signIn(subject)).fragment.has('access_token')).toBe(true);
    openid.addAccount(subject, { email, email_verified: true });
    expect((await acceptInvitation(email, subject)).query.get('error_code')).toBe('identity_already_exists');
  });
});

describe('Sign in with Apple', () => {
  test('the answer is a form, the name stands in it the first time only and stays', async () => {
    const subject = randomUUID();
    openid.addAccount(subject, { email: fresh() });
    const signIn = async (user: object) => {
      const url = new URL(await beginSignIn(server.client(), 'apple', { login_hint: subject }));
      expect(url.searchParams.get('response_mode')).toBe('form_post');
      // The loopback provider's form would need a browser to send it on.
      url.searchParams.delete('response_mode');
      const { searchParams: form } = await openid.signIn(url.href);
      for (const [name, value] of Object.entries(user)) form.set(name, JSON.stringify(value));
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const response = await server.call('POST', '/callback', form.toString(), headers);
      const { hash } = new URL(response.headers.get('location') ?? 'http://missing.invalid');
      return getClaims(new URLSearchParams(hash.slice(1)).get('access_token') ?? '');
    };
    const named = { full_name: 'Ada Lovelace', name: 'Ada Lovelace', email_verified: true };
    const first = await signIn({ user: { name: { firstName: 'Ada', lastName: 'Lovelace' } } });
    expect(first['user_metadata']).toMatchObject(named);
    const second = await signIn({});
    expect([second['sub'], second['user_metadata']]).toEqual([first['sub'], expect.objectContaining(named)]);
  });
});

describe('OAuth without OpenID', () => {
  const enter = async (provider: string): Promise<Landing> =>
    comeBack(server, await browse(new URL(await beginSignIn(server.client(), provider, {})), oauth.host));

  test('GitHub: the addresses are a call of their own, any verified one leads to the account', async () => {
    const { email, id } = await addPerson(server);
    const primary = { email: fresh(), verified: true, primary: true };
    oauth.account({
      id: 4711,
      login: 'octo',
      name: 'Octo Cat',
      emails: [primary, { email, verified: true, primary: false }],
    });
    const { fragment } = await enter('github');
    expect(fragment.get('provider_token')).toBe('gho_token');
    expect(getClaims(fragment.get('access_token') ?? '')).toMatchObject({
      sub: id,
      user_metadata: {
        user_name: 'octo',
        preferred_username: 'octo',
        avatar_url: 'https://avatars.beispiel.test/4711',
      },
    });
  });

  test('any other by its three addresses, also without an e-mail address where that is allowed', async () => {
    oauth.account({ id: 4712, login: 'leer', name: 'Ohne Adresse', emails: [] });
    const { fragment } = await enter('generisch');
    const claims = getClaims(fragment.get('access_token') ?? '');
    expect(claims).toMatchObject({
      email: '',
      user_metadata: { sub: '4712' },
      app_metadata: { provider: 'generisch' },
    });
  });

  test('a code the provider does not take → server_error', async () => {
    oauth.failTokens(true);
    const { query } = await enter('github');
    oauth.failTokens(false);
    expect(Object.fromEntries(query)).toEqual({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Unable to exchange external code: gh-c',
    });
  });

  test('POST /callback takes the form that Apple sends', async () => {
    oauth.account({
      id: 4713,
      login: 'form',
      name: 'Formular',
      emails: [{ email: fresh(), verified: true, primary: true }],
    });
    const back = await browse(new URL(await beginSignIn(server.client(), 'github', {})), oauth.host);
    const response = await server.call('POST', '/callback', back.search.slice(1), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(new URL(response.headers.get('location') ?? '').hash).toContain('access_token=');
    const json = await server.call('POST', '/callback', {});
    expect(json.status).toBe(415);
  });

  test('GET /settings names the enabled providers', async () => {
    const settings = await (await server.call('GET', '/settings')).json();
    expect(settings).toMatchObject({ external: { keycloak: true, github: true, google: false, generisch: true } });
  });
});
