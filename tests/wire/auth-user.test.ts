import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { addPerson, type Person } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({
    auth: (auth) => ({ rate_limit: { ...auth.rate_limit, sign_in_sign_ups: 10_000, token_refresh: 10_000 } }),
  });
});
afterAll(() => server.stop());

type SignedIn = Person & { client: SupabaseClient; session: Session };

async function enter(person?: Person): Promise<SignedIn> {
  const who = person ?? (await addPerson(server));
  const client = server.client();
  const { data, error } = await client.auth.signInWithPassword({ email: who.email, password: who.password });
  if (error !== null) throw error;
  return { ...who, client, session: data.session };
}

const status = async (token: string): Promise<number> =>
  (await server.call('GET', '/user', undefined, { authorization: `Bearer ${token}` })).status;

describe('§7 GET /user', () => {
  test('answers the user of the token', async () => {
    const { client, id, email } = await enter();
    expect((await client.auth.getUser()).data.user).toMatchObject({ id, email, identities: [{ provider: 'email' }] });
  });

  test.each([
    ['authenticated', 200, undefined],
    ['', 200, undefined],
    ['other', 400, "Token audience doesn't match request audience"],
  ])('X-JWT-AUD %j → %i', async (audience, expected, msg) => {
    const { session } = await enter();
    const headers = { authorization: `Bearer ${session.access_token}`, 'x-jwt-aud': audience };
    const response = await server.call('GET', '/user', undefined, headers);
    expect([response.status, ((await response.json()) as { msg?: string }).msg]).toEqual([expected, msg]);
  });

  const withBearer = async (authorization: string): Promise<unknown[]> => {
    const headers = { authorization, 'x-supabase-api-version': '2024-01-01' };
    const response = await server.call('GET', '/user', undefined, headers);
    const { code, message } = (await response.json()) as { code: string; message: string };
    return [response.status, code, message];
  };

  test('Without a bearer → 401 no_authorization (contract §1.3)', async () => {
    const expected = [401, 'no_authorization', 'This endpoint requires a valid Bearer token'];
    for (const header of ['', 'Bearer', 'Basic abc', 'Bearer a b']) expect(await withBearer(header)).toEqual(expected);
  });

  test('A public or service key is no user → 403 bad_jwt (contract §0, §1.3)', async () => {
    const { publishableKey, secretKey } = server.backend.keys;
    const expected = [403, 'bad_jwt', 'invalid claim: missing sub claim'];
    expect(await withBearer(`Bearer ${publishableKey}`)).toEqual(expected);
    expect(await withBearer(`Bearer ${secretKey}`)).toEqual(expected);
  });

  test('Deleted user, deleted session, banned → 403 with their codes (contract §1.3)', async () => {
    const [gone, ended, banned] = [await enter(), await enter(), await enter()];
    const { admin } = server.service().auth;
    await admin.deleteUser(gone.id);
    await server.sql('delete from auth.sessions where user_id = $1', [ended.id]);
    await admin.updateUserById(banned.id, { ban_duration: '24h' });
    const answers = await Promise.all(
      [gone, ended, banned].map(({ session }) => withBearer(`Bearer ${session.access_token}`)),
    );
    expect(answers.map(([code, name]) => [code, name])).toEqual([
      [403, 'user_not_found'],
      [403, 'session_not_found'],
      [403, 'user_banned'],
    ]);
  });

  test('The client knows a missing session from session_not_found (contract §1.1)', async () => {
    const { client, id } = await enter();
    await server.sql('delete from auth.sessions where user_id = $1', [id]);
    expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  });
});

describe('§7 PUT /user', () => {
  test('data is merged, null deletes a key', async () => {
    const { client } = await enter();
    await client.auth.updateUser({ data: { name: 'Ada', city: 'Köln', deep: { a: 1 } } });
    const { data } = await client.auth.updateUser({ data: { city: null, deep: { b: 2 } } });
    expect(data.user?.user_metadata).toEqual({ name: 'Ada', deep: { b: 2 }, email_verified: true });
  });

  test('a new password works at once and ends all other sessions, not this one', async () => {
    const here = await enter();
    const there = await enter(here);
    const { error } = await here.client.auth.updateUser({ password: 'ein ganz neues Passwort' });
    expect(error).toBeNull();
    expect([await status(here.session.access_token), await status(there.session.access_token)]).toEqual([200, 403]);
    expect((await there.client.auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
    const again = await server
      .client()
      .auth.signInWithPassword({ email: here.email, password: 'ein ganz neues Passwort' });
    expect(again.error).toBeNull();
    expect((await server.client().auth.signInWithPassword(here)).error?.code).toBe('invalid_credentials');
  });

  test('the same password → 422 same_password', async () => {
    const { client, password } = await enter();
    expect((await client.auth.updateUser({ password })).error).toMatchObject({
      status: 422,
      code: 'same_password',
      message: 'New password should be different from the old password.',
    });
  });

  test('a short password → 422 weak_password with its reasons', async () => {
    const { client } = await enter();
    expect((await client.auth.updateUser({ password: 'zu kurz' })).error).toMatchObject({
      name: 'AuthWeakPasswordError',
      status: 422,
      reasons: ['length'],
      message: 'Password should be at least 10 characters.',
    });
  });

  test('more than 72 bytes → 400 validation_failed', async () => {
    const { client } = await enter();
    const { error } = await client.auth.updateUser({ password: 'ä'.repeat(37) });
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  test('a new address waits for both mailboxes, also where confirmations are off', async () => {
    const { client, email, id } = await enter();
    const wanted = `neu-${id}@beispiel.test`;
    const { data } = await client.auth.updateUser({ email: wanted.toUpperCase() });
    expect(data.user).toMatchObject({ email, new_email: wanted });
    expect((await follow(server, await mailTo(server, wanted))).members.get('message')).toMatch(/^Confirmation link/);
    expect((await follow(server, await mailTo(server, email))).members.get('type')).toBe('email_change');
    expect((await client.auth.getUser()).data.user).toMatchObject({
      email: wanted,
      identities: [{ identity_data: { email: wanted, email_verified: true } }],
    });
  });

  test('where only the new mailbox is asked its answer is enough', async () => {
    const single = await bootAuthBackend({
      auth: (auth) => ({ email: { ...auth.email, double_confirm_changes: false } }),
    });
    const { email, password, id } = await addPerson(single);
    const client = single.client();
    await client.auth.signInWithPassword({ email, password });
    await client.auth.updateUser({ email: `neu-${id}@beispiel.test` });
    await follow(single, await mailTo(single, `neu-${id}@beispiel.test`));
    expect((await client.auth.getUser()).data.user?.email).toBe(`neu-${id}@beispiel.test`);
    expect((await single.mails()).map(({ to }) => to)).not.toContain(email);
    await single.stop();
  });

  test("another user's address → 422 email_exists, and nothing changes", async () => {
    const other = await addPerson(server);
    const { client, email } = await enter();
    const { error } = await client.auth.updateUser({ email: other.email, data: { changed: true } });
    expect(error).toMatchObject({ status: 422, code: 'email_exists' });
    expect((await client.auth.getUser()).data.user).toMatchObject({ email, user_metadata: { email_verified: true } });
  });

  test.each([
    [{ email: 'keine Adresse' }, 400, 'validation_failed'],
    [{ email: `${'a'.repeat(250)}@beispiel.test` }, 400, 'validation_failed'],
    [{ phone: '491701234567' }, 400, 'phone_provider_disabled'],
    [{ app_metadata: { role: 'admin' } }, 403, 'not_admin'],
    [{ data: 'text' }, 400, 'bad_json'],
    [{ password: '' }, 422, 'weak_password'],
  ])('%j → %i %s', async (body, code, name) => {
    const { session } = await enter();
    const response = await server.call('PUT', '/user', body, { authorization: `Bearer ${session.access_token}` });
    expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([code, name]);
  });

  test('ignores role and id in the body', async () => {
    const { session, id } = await enter();
    const headers = { authorization: `Bearer ${session.access_token}` };
    const response = await server.call(
      'PUT',
      '/user',
      { role: 'service_role', id: 'x', data: { role: 'admin' } },
      headers,
    );
    expect(await response.json()).toMatchObject({ id, role: 'authenticated' });
  });
});

describe('§7 POST /logout', () => {
  test.each([
    ['global', [403, 403]],
    ['local', [403, 200]],
    ['others', [200, 403]],
  ] as const)('scope %s: this and another session answer %j', async (scope, expected) => {
    const here = await enter();
    const there = await enter(here);
    expect((await here.client.auth.signOut({ scope })).error).toBeNull();
    expect([await status(here.session.access_token), await status(there.session.access_token)]).toEqual(expected);
  });

  test('204 without a body; without a scope every session ends', async () => {
    const here = await enter();
    const there = await enter(here);
    const response = await server.call('POST', '/logout', undefined, {
      authorization: `Bearer ${here.session.access_token}`,
    });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await status(there.session.access_token)).toBe(403);
  });

  test('an unknown scope → 400', async () => {
    const { session } = await enter();
    const headers = { authorization: `Bearer ${session.access_token}` };
    const response = await server.call('POST', '/logout?scope=alle', undefined, headers);
    expect(await response.json()).toMatchObject({ msg: 'Unsupported logout scope "alle"', code: 400 });
    expect(await status(session.access_token)).toBe(200);
  });
});
