import { decodeJwt, decodeProtectedHeader } from 'jose';
import { hash } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '#tests/support/accounts.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend();
});
afterAll(() => server.stop());

const grant = (body: unknown, headers?: Record<string, string>): Promise<Response> =>
  server.call('POST', '/token?grant_type=password', body, headers);

describe('§7 POST /token?grant_type=password', () => {
  test('opens a session whose user, tokens and times the client can use', async () => {
    const { email, password, id } = await addPerson(server, { password: 'gehasht wie jedes' });
    const { data, error } = await server.client().auth.signInWithPassword({ email: email.toUpperCase(), password });
    expect(error).toBeNull();
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    expect(data.session?.refresh_token).toMatch(/^[a-z0-9]{12}$/);
    expect(data.user).toMatchObject({ id, email, aud: 'authenticated', role: 'authenticated', is_anonymous: false });
    expect(data.user?.last_sign_in_at).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test('The access token carries exactly the promised claims, signed ES256 under a published key (contract §1.2)', async () => {
    const { email, password, id } = await addPerson(server, { user_metadata: { name: 'Änne' } });
    const { data } = await server.client().auth.signInWithPassword({ email, password });
    const token = data.session?.access_token ?? '';
    const claims = decodeJwt(token);
    expect(claims).toEqual({
      iss: server.backend.keys.issuer,
      sub: id,
      aud: 'authenticated',
      exp: expect.any(Number),
      iat: (claims.exp ?? 0) - 3600,
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { name: 'Änne', email_verified: true },
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: expect.any(Number) }],
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      is_anonymous: false,
    });
    const { alg, kid } = decodeProtectedHeader(token);
    expect([alg, kid]).toEqual(['ES256', server.backend.keys.published()[0]?.kid]);
    expect((await server.client().auth.getClaims(token)).data?.claims.sub).toBe(id);
  });

  test('Keys of empty values are absent from the user, and the identity has its shape (contract §1.2)', async () => {
    const { email, password, id } = await addPerson(server);
    const session = (await (await grant({ email, password })).json()) as { user: Record<string, unknown> };
    // prettier-ignore
    expect(Object.keys(session.user).toSorted()).toEqual([
      'app_metadata', 'aud', 'confirmed_at', 'created_at', 'email', 'email_confirmed_at', 'id', 'identities',
      'is_anonymous', 'last_sign_in_at', 'phone', 'role', 'updated_at', 'user_metadata',
    ]);
    expect(session.user['identities']).toEqual([
      {
        identity_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        id,
        user_id: id,
        identity_data: { sub: id, email, email_verified: false, phone_verified: false },
        provider: 'email',
        last_sign_in_at: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        email,
      },
    ]);
  });

  test('threat 12 wrong password, unknown address and an account without a password get one and the same answer', async () => {
    const { email } = await addPerson(server);
    const without = 'ohne-passwort@beispiel.test';
    await server.service().auth.admin.createUser({ email: without, email_confirm: true });
    const answers = await Promise.all(
      [email, 'niemand@beispiel.test', without].map(async (address) => {
        const response = await grant({ email: address, password: 'ganz falsch geraten' });
        const headers = [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
        return { status: response.status, body: await response.text(), headers };
      }),
    );
    expect(answers[0]).toMatchObject({
      status: 400,
      body: expect.stringContaining('"error_code":"invalid_credentials"'),
    });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test('The client reads invalid_credentials and "Invalid login credentials" (§8)', async () => {
    const { email } = await addPerson(server);
    const { error } = await server.client().auth.signInWithPassword({ email, password: 'falsch' });
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials', message: 'Invalid login credentials' });
  });

  test('a password longer than 72 bytes never matches one that begins alike', async () => {
    const password = 'a'.repeat(72);
    const { email } = await addPerson(server, { password });
    expect((await grant({ email, password })).status).toBe(200);
    expect((await grant({ email, password: `${password}b` })).status).toBe(400);
  });

  test('only the correct password reveals a ban or a missing confirmation', async () => {
    const banned = await addPerson(server, { ban_duration: '24h' });
    const fresh = await addPerson(server, { email_confirm: false });
    const answers = await Promise.all(
      [{ ...banned }, { ...banned, password: 'falsch' }, { ...fresh }, { ...fresh, password: 'falsch' }].map(
        async ({ email, password }) => (await server.client().auth.signInWithPassword({ email, password })).error,
      ),
    );
    expect(answers.map((error) => [error?.status, error?.code])).toEqual([
      [400, 'user_banned'],
      [400, 'invalid_credentials'],
      [400, 'email_not_confirmed'],
      [400, 'invalid_credentials'],
    ]);
  });

  test.each([
    [{ password: 'x' }, 400, 'validation_failed', 'missing email or phone'],
    [{ phone: '491701234567', password: 'x' }, 422, 'phone_provider_disabled', 'Phone logins are disabled'],
    [{}, 400, 'validation_failed', 'missing email or phone'],
    [{ email: 5, password: 'x' }, 400, 'bad_json', expect.stringContaining('email')],
    [[], 400, 'bad_json', expect.any(String)],
  ])('%j → %i %s', async (body, status, code, message) => {
    const response = await grant(body, { 'x-supabase-api-version': '2024-01-01' });
    expect([response.status, await response.json()]).toEqual([status, { code, message }]);
  });

  test.each(['', '?grant_type=', '?grant_type=implicit', '?grant_type=web3'])(
    'POST /token%s is no grant of ours',
    async (query) => {
      const response = await server.call('POST', `/token${query}`, {});
      expect(await response.json()).toEqual({
        code: 400,
        error_code: 'invalid_credentials',
        msg: 'unsupported_grant_type',
      });
    },
  );

  test('A login with a weak password succeeds with a warning (contract §1.2)', async () => {
    const password_hash = await hash('zu kurz', { cost: 4 });
    const { email } = await addPerson(server, { password_hash });
    const { data, error } = await server.client().auth.signInWithPassword({ email, password: 'zu kurz' });
    expect(error).toBeNull();
    expect(data.weakPassword).toEqual({ message: 'Password should be at least 10 characters.', reasons: ['length'] });
  });

  test('e-mail logins can be switched off', async () => {
    const closed = await bootAuthBackend({ auth: (auth) => ({ email: { ...auth.email, enable_signup: false } }) });
    const { error } = await closed.client().auth.signInWithPassword({ email: 'a@beispiel.test', password: 'x' });
    expect(error).toMatchObject({ status: 422, code: 'email_provider_disabled', message: 'Email logins are disabled' });
    await closed.stop();
  });

  test("upstream's seeds work: an account made in SQL with crypt() signs in", async () => {
    const email = 'saat@beispiel.test';
    await server.sql(
      `with made as (
         insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
           raw_app_meta_data, raw_user_meta_data, confirmation_token, recovery_token, email_change_token_new, email_change)
         values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1,
           extensions.crypt('geheim-genug', extensions.gen_salt('bf')), now(),
           '{"provider":"email","providers":["email"]}', '{}', '', '', '', '') returning id)
       insert into auth.identities (provider_id, user_id, identity_data, provider)
       select id::text, id, jsonb_build_object('sub', id, 'email', $1), 'email' from made`,
      [email],
    );
    const { data } = await server.client().auth.signInWithPassword({ email, password: 'geheim-genug' });
    expect(data.user?.email).toBe(email);
  });

  test('each entry and each failure is in the audit log, without any address of a person', async () => {
    const { email, password, id } = await addPerson(server);
    await grant({ email, password: 'falsch' });
    await grant({ email, password });
    const rows = await server.sql(
      `select payload ->> 'action' as action, payload::text as text from auth.audit_log_entries
        where payload ->> 'actor_id' = $1 order by created_at`,
      [id],
    );
    expect(rows.map((row) => String(row['action']))).toEqual(['login_failed', 'login']);
    expect(JSON.stringify(rows)).not.toContain(email);
  });
});

describe('tests/support/accounts.ts', () => {
  let booted: TestServer;
  beforeAll(async () => {
    booted = await bootServer();
  });
  afterAll(() => booted.stop());

  test('createUser gives a signed-in client and the role', async () => {
    const { client, id } = await createUser(booted, { role: 'firma_a' });
    expect((await client.auth.getUser()).data.user?.id).toBe(id);
  });
});
