import { randomUUID } from 'node:crypto';
import type { Session, SupabaseClient, UserIdentity } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { CALLBACK_URL, comeBack, externalConfig, type Landing } from '#tests/support/auth-external.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { startOpenidProvider, type OpenidProvider } from '#tests/support/openid-provider.ts';
import { addPerson, type Person } from '#tests/support/people.ts';

let openid: OpenidProvider;
let server: AuthBackend;
beforeAll(async () => {
  openid = await startOpenidProvider(CALLBACK_URL);
  server = await bootAuthBackend({
    auth: (auth) => ({
      ...mailing(auth),
      enable_manual_linking: true,
      enable_anonymous_sign_ins: true,
      internal_hosts: [openid.host],
      external: { keycloak: externalConfig(openid.config) },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await openid.stop();
});

const fresh = (): string => `${randomUUID()}@beispiel.test`;

function account(email: string, verified = true): string {
  const subject = randomUUID();
  openid.addAccount(subject, { email, email_verified: verified });
  return subject;
}

type SignedIn = Person & { client: SupabaseClient; session: Session };

async function enter(): Promise<SignedIn> {
  const person = await addPerson(server);
  const client = server.client();
  const { data, error } = await client.auth.signInWithPassword(person);
  if (error !== null) throw error;
  return { ...person, client, session: data.session };
}

/** The official client asks for an address with `skip_http_redirect`; the browser goes there and comes back. */
async function link(client: SupabaseClient, subject: string): Promise<Landing> {
  const options = { skipBrowserRedirect: true, queryParams: { login_hint: subject } };
  const { data, error } = await client.auth.linkIdentity({ provider: 'keycloak', options });
  if (error !== null) throw error;
  return comeBack(server, await openid.signIn(data.url ?? ''));
}

async function getIdentity(client: SupabaseClient, provider: string): Promise<UserIdentity> {
  const { data } = await client.auth.getUserIdentities();
  const found = data?.identities.find((identity) => identity.provider === provider);
  if (found === undefined) throw new Error('no such identity');
  return found;
}

describe('§7 GET /user/identities/authorize', () => {
  test('without redirect_to the way back leads to the page that asked, where that is allowed', async () => {
    const { session } = await enter();
    const begin = async (referer: string): Promise<unknown> => {
      const headers = { referer, authorization: `Bearer ${session.access_token}` };
      const response = await server.call('GET', '/user/identities/authorize?provider=keycloak', undefined, headers);
      const state = new URL(response.headers.get('location') ?? '').searchParams.get('state');
      const [flow] = await server.sql('select referrer from auth.flow_state where id = $1', [state]);
      return flow?.['referrer'];
    };
    expect(await begin('https://app.beispiel.test/konto')).toBe('https://app.beispiel.test/konto');
    expect(await begin('https://boese.test/')).toBe('http://127.0.0.1:3000');
  });

  test('adds a way in, whatever address it has', async () => {
    const { client, id, email } = await enter();
    const subject = account(fresh());
    const { fragment } = await link(client, subject);
    expect(fragment.has('access_token')).toBe(true);
    const { data } = await client.auth.getUser();
    expect(data.user).toMatchObject({ id, email, app_metadata: { providers: ['email', 'keycloak'] } });
    const query = new URLSearchParams({ provider: 'keycloak', login_hint: subject });
    const response = await server.call('GET', `/authorize?${query}`);
    const again = await comeBack(server, await openid.signIn(response.headers.get('location') ?? ''));
    expect((await client.auth.getUser(again.fragment.get('access_token') ?? '')).data.user?.id).toBe(id);
  });

  test('a taken identity → 422 identity_already_exists in the query', async () => {
    const [mine, theirs] = [await enter(), await enter()];
    const subject = account(fresh());
    await link(theirs.client, subject);
    const { query } = await link(mine.client, subject);
    expect(Object.fromEntries(query)).toEqual({
      error: 'server_error',
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked to another user',
    });
    const twice = await link(theirs.client, subject);
    expect(twice.query.get('error_description')).toBe('Identity is already linked');
  });

  test('an anonymous user becomes a regular one', async () => {
    const client = server.client();
    await client.auth.signInAnonymously();
    const email = fresh();
    await link(client, account(email));
    expect((await client.auth.getUser()).data.user).toMatchObject({
      email,
      is_anonymous: false,
      email_confirmed_at: expect.any(String),
    });
  });

  test('… and if the provider does not vouch for the address, after the answer to a mail', async () => {
    const client = server.client();
    await client.auth.signInAnonymously();
    const email = fresh();
    const { query } = await link(client, account(email, false));
    expect(query.get('error_code')).toBe('email_not_confirmed');
    await follow(server, await mailTo(server, email));
    expect((await client.auth.getUser()).data.user).toMatchObject({ email, is_anonymous: false });
  });

  test("… but not by another user's address", async () => {
    const { email } = await addPerson(server);
    const client = server.client();
    await client.auth.signInAnonymously();
    const { query } = await link(client, account(email));
    expect([query.get('error'), query.get('error_code')]).toEqual(['invalid_request', 'email_exists']);
  });

  test('without skip_http_redirect → 302; without a session → 401', async () => {
    const { session } = await enter();
    const route = '/user/identities/authorize?provider=keycloak';
    const headers = { authorization: `Bearer ${session.access_token}` };
    expect((await server.call('GET', route, undefined, headers)).status).toBe(302);
    expect((await server.call('GET', route)).status).toBe(401);
  });
});

describe('§7 DELETE /user/identities/{identity_id}', () => {
  test('takes a way in away', async () => {
    const { client } = await enter();
    await link(client, account(fresh()));
    expect((await client.auth.unlinkIdentity(await getIdentity(client, 'keycloak'))).error).toBeNull();
    expect((await client.auth.getUser()).data.user?.app_metadata['providers']).toEqual(['email']);
  });

  test('the account takes over the address of a remaining identity', async () => {
    const { client } = await enter();
    const email = fresh();
    await link(client, account(email));
    await client.auth.unlinkIdentity(await getIdentity(client, 'email'));
    const { data } = await client.auth.getUser();
    expect(data.user).toMatchObject({ email, email_confirmed_at: expect.any(String) });
  });

  test('an unverified address stays unconfirmed', async () => {
    const { client, id } = await enter();
    const email = fresh();
    await link(client, account(email, false));
    await client.auth.unlinkIdentity(await getIdentity(client, 'email'));
    const { data } = await server.service().auth.admin.getUserById(id);
    expect(data.user).toMatchObject({ email, user_metadata: { email_verified: false } });
    expect(data.user).not.toHaveProperty('email_confirmed_at');
  });

  test("a remaining identity with another user's address → 422 email_conflict_identity_not_deletable", async () => {
    const other = await addPerson(server);
    const { client } = await enter();
    await link(client, account(other.email));
    const { error } = await client.auth.unlinkIdentity(await getIdentity(client, 'email'));
    expect(error).toMatchObject({ status: 422, code: 'email_conflict_identity_not_deletable' });
    expect((await client.auth.getUserIdentities()).data?.identities).toHaveLength(2);
  });

  test('the last one → 422 single_identity_not_deletable', async () => {
    const { client } = await enter();
    const { error } = await client.auth.unlinkIdentity(await getIdentity(client, 'email'));
    expect(error).toMatchObject({ status: 422, code: 'single_identity_not_deletable' });
  });

  test('an identity of another user → 422 identity_not_found; no UUID → 404', async () => {
    const [mine, theirs] = [await enter(), await enter()];
    await link(mine.client, account(fresh()));
    const { error } = await mine.client.auth.unlinkIdentity(await getIdentity(theirs.client, 'email'));
    expect(error).toMatchObject({ status: 422, code: 'identity_not_found' });
    const headers = { authorization: `Bearer ${mine.session.access_token}` };
    const response = await server.call('DELETE', '/user/identities/keine', undefined, headers);
    expect(await response.json()).toEqual({
      code: 404,
      error_code: 'validation_failed',
      msg: 'identity_id must be an UUID',
    });
  });
});

describe('enable_manual_linking = false', () => {
  test('→ 404 manual_linking_disabled', async () => {
    const closed = await bootAuthBackend();
    const person = await addPerson(closed);
    const client = closed.client();
    await client.auth.signInWithPassword(person);
    const linked = await client.auth.linkIdentity({ provider: 'keycloak', options: { skipBrowserRedirect: true } });
    const unlinked = await client.auth.unlinkIdentity(await getIdentity(client, 'email'));
    const expected = { status: 404, code: 'manual_linking_disabled', message: 'Manual linking is disabled' };
    expect([linked.error, unlinked.error]).toEqual([
      expect.objectContaining(expected),
      expect.objectContaining(expected),
    ]);
    await closed.stop();
  });
});
