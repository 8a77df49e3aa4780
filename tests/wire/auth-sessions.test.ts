import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { mailTo } from '#tests/support/auth-mails.ts';
import { enrolApp, enter, enterWithApp } from '#tests/support/second-factors.ts';

const MINUTE = 60_000;

describe('contract §1.5 session limits', () => {
  test('allow_low_aal: a session without its second factor ends in time', async () => {
    const server = await bootAuthBackend({
      clock: 'frozen',
      auth: (auth) => ({ sessions: { ...auth.sessions, allow_low_aal: '15m' } }),
    });
    const high = await enterWithApp(server);
    const [low, plain] = [await enter(server, high), await enter(server)];
    server.advance(14 * MINUTE);
    expect((await low.client.auth.refreshSession()).error).toBeNull();
    server.advance(2 * MINUTE);
    expect((await low.client.auth.refreshSession()).error).toMatchObject({
      status: 400,
      code: 'session_expired',
      message: 'Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)',
    });
    expect((await high.client.auth.refreshSession()).error).toBeNull();
    expect((await plain.client.auth.refreshSession()).error).toBeNull();
    await server.stop();
  });

  test('single_per_user: a newer login ends the older session at its next refresh', async () => {
    const server = await bootAuthBackend({
      clock: 'frozen',
      auth: (auth) => ({ sessions: { ...auth.sessions, single_per_user: true } }),
    });
    const first = await enter(server);
    server.advance(MINUTE);
    expect((await first.client.auth.refreshSession()).error).toBeNull();
    server.advance(MINUTE);
    const second = await enter(server, first);
    expect((await first.client.auth.refreshSession()).error).toMatchObject({
      status: 400,
      code: 'session_expired',
      message: 'Invalid Refresh Token: Session Expired (Revoked by Newer Login)',
    });
    expect((await second.client.auth.refreshSession()).error).toBeNull();
    await server.stop();
  });
});

describe('§7 anonymous sign-in', () => {
  let server: AuthBackend;
  beforeAll(async () => {
    server = await bootAuthBackend({
      clock: 'frozen',
      auth: (auth) => ({ ...mailing(auth), enable_anonymous_sign_ins: true }),
    });
  });
  afterAll(() => server.stop());

  test('off by default → 422 anonymous_provider_disabled', async () => {
    const plain = await bootAuthBackend();
    const { error } = await plain.client().auth.signInAnonymously();
    expect(error).toMatchObject({ status: 422, code: 'anonymous_provider_disabled' });
    await plain.stop();
  });

  test('a session with the claim is_anonymous, and in this product no rights', async () => {
    const client = server.client();
    const { data, error } = await client.auth.signInAnonymously({ options: { data: { colour: 'blau' } } });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ is_anonymous: true, user_metadata: { colour: 'blau' } });
    expect(decodeJwt(data.session?.access_token ?? '')).toMatchObject({
      is_anonymous: true,
      role: 'authenticated',
      aal: 'aal1',
      amr: [{ method: 'anonymous' }],
    });
    expect((await client.from('interviews').insert({ transcript: 'x' }).select()).error?.code).toBe('42501');
    expect((await client.auth.refreshSession()).data.user?.is_anonymous).toBe(true);
  });

  test('updateUser with an address makes an account of it, once the mailbox has answered: same id', async () => {
    const client = server.client();
    const { data } = await client.auth.signInAnonymously();
    const email = `${data.user?.id ?? ''}@beispiel.test`;
    expect((await client.auth.updateUser({ password: 'ohne Adresse' })).error?.code).toBe('validation_failed');
    const asked = await client.auth.updateUser({ email });
    expect(asked.data.user).toMatchObject({ is_anonymous: true, new_email: email });
    const { code } = await mailTo(server, email);
    const verified = await client.auth.verifyOtp({ type: 'email_change', email, token: code });
    expect(verified.error).toBeNull();
    expect(verified.data.user).toMatchObject({ id: data.user?.id, email, is_anonymous: false });
    expect((await client.auth.updateUser({ password: 'jetzt mit Adresse' })).error).toBeNull();
    const entered = await server.client().auth.signInWithPassword({ email, password: 'jetzt mit Adresse' });
    expect(entered.data.user?.id).toBe(data.user?.id);
    expect(decodeJwt(entered.data.session?.access_token ?? '')['is_anonymous']).toBe(false);
  });

  test('Thirty an hour and address → 429 over_request_rate_limit (contract §1.6)', async () => {
    const once = (): Promise<Response> => server.call('POST', '/signup', {}, { 'x-forwarded-for': '203.0.113.4' });
    const statuses: number[] = [];
    for (let index = 0; index < 31; index += 1) statuses.push((await once()).status);
    expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([30, 429]);
  });
});

describe('cleanup of expired rows', () => {
  const DAY = 24 * 60 * MINUTE;

  test('challenges, abandoned factors, ended sessions, anonymous users and old log entries go by themselves', async () => {
    const server = await bootAuthBackend({
      clock: 'frozen',
      auth: (auth) => ({
        enable_signup: true,
        enable_anonymous_sign_ins: true,
        sessions: { ...auth.sessions, timebox: '24h' },
      }),
    });
    const me = await enterWithApp(server);
    await enrolApp(me, 'liegengeblieben');
    const { data } = await server.client().auth.signInAnonymously();
    const counts = async (): Promise<Record<string, unknown>> => {
      const [row] = await server.sql(
        `select
          (select count(*)::int from auth.mfa_challenges) as challenges,
          (select count(*)::int from auth.mfa_factors) as factors,
          (select count(*)::int from auth.sessions) as sessions,
          (select count(*)::int from auth.users) as users,
          (select count(*)::int from auth.audit_log_entries where created_at < $1) as entries`,
        [new Date(server.now() - 365 * DAY)],
      );
      return row ?? {};
    };
    expect([await counts(), data.user?.is_anonymous]).toEqual([
      { challenges: 1, factors: 2, sessions: 2, users: 2, entries: 0 },
      true,
    ]);
    server.advance(366 * DAY);
    const afterRounds = async (): Promise<Record<string, unknown>> => {
      server.advance(MINUTE);
      await server.call('GET', '/health');
      return counts();
    };
    const left = { challenges: 0, factors: 1, sessions: 0, users: 1, entries: 0 };
    await expect.poll(afterRounds, { interval: 20 }).toEqual(left);
    await server.stop();
  });

  test('one round removes all rows of a kind, however many guesses the log has (contract §1.5)', async () => {
    const server = await bootAuthBackend({ clock: 'frozen' });
    await server.sql(
      `insert into auth.audit_log_entries (created_at) select $1::timestamptz from generate_series(1, 450)`,
      [new Date(server.now() - 366 * DAY)],
    );
    const count = async (): Promise<number> => (await server.sql('select from auth.audit_log_entries')).length;
    const afterRounds = async (): Promise<number> => {
      server.advance(MINUTE);
      await server.call('GET', '/health');
      return count();
    };
    await expect.poll(afterRounds, { interval: 50 }).toBeLessThan(450);
    await expect.poll(count).toBe(0);
    await server.stop();
  });

  test('a new address or number nobody confirmed goes once its codes have ended (contract §1.6)', async () => {
    const server = await bootAuthBackend({
      clock: 'frozen',
      auth: (auth) => ({ email: { ...auth.email, otp_expiry: 3 * 24 * 3600 } }),
    });
    const { client, id } = await enter(server);
    expect((await client.auth.updateUser({ email: 'fremd@beispiel.test' })).error).toBeNull();
    await server.sql(
      `update auth.users set phone_change = '491701234567', phone_change_sent_at = email_change_sent_at,
        email_change_confirm_status = 1 where id = $1`,
      [id],
    );
    const afterRounds = async (): Promise<unknown[]> => {
      server.advance(MINUTE);
      await server.call('GET', '/health');
      return server.sql(
        `select email_change, email_change_sent_at is null as unsent, email_change_confirm_status as status,
          phone_change, phone_change_sent_at is null as uncalled,
          (select count(*)::int from auth.one_time_tokens) as tokens
        from auth.users where id = $1`,
        [id],
      );
    };
    server.advance(2.9 * DAY);
    for (let round = 0; round < 15; round += 1) await afterRounds();
    const asked = { email_change: 'fremd@beispiel.test', unsent: false, status: 1 };
    expect(await afterRounds()).toEqual([{ ...asked, phone_change: '491701234567', uncalled: false, tokens: 2 }]);
    server.advance(2 * DAY);
    const none = { email_change: '', unsent: true, status: 0, phone_change: '', uncalled: true, tokens: 0 };
    await expect.poll(afterRounds, { interval: 50 }).toEqual([none]);
    await server.stop();
  });

  test('unfinished sign-ins by a provider go also where none is switched on (contract §1.4)', async () => {
    const server = await bootAuthBackend({ clock: 'frozen' });
    const add = (at: number): Promise<unknown> =>
      server.sql(
        `with sso as (
          insert into auth.sso_providers (id, created_at, updated_at) select gen_random_uuid(), t, t
          from (select $1::timestamptz as t) as given returning id, created_at as t
        ), flow as (
          insert into auth.flow_state (id, provider_type, authentication_method, created_at, updated_at)
          select gen_random_uuid(), 'keycloak', 'oauth', t, t from sso
        ), client as (
          insert into auth.oauth_client_states (id, provider_type, created_at)
          select gen_random_uuid(), 'keycloak', t from sso
        ), relay as (
          insert into auth.saml_relay_states (id, sso_provider_id, request_id, created_at, updated_at)
          select gen_random_uuid(), id, 'x', t, t from sso
        )
        insert into auth.saml_assertions (sso_provider_id, assertion_id, expires_at) select id, 'x', t from sso`,
        [new Date(at)],
      );
    await add(server.now() - 2 * DAY);
    await add(server.now() + DAY);
    const tables = ['flow_state', 'oauth_client_states', 'saml_relay_states', 'saml_assertions'];
    const afterRounds = async (): Promise<number[]> => {
      server.advance(MINUTE);
      await server.call('GET', '/health');
      return Promise.all(tables.map(async (table) => (await server.sql(`select from auth.${table}`)).length));
    };
    await expect.poll(afterRounds, { interval: 50 }).toEqual([1, 1, 1, 1]);
    await server.stop();
  });

  test('old rows go also once a clock that was ahead has been set back', async () => {
    const server = await bootAuthBackend({ clock: 'frozen' });
    await enrolApp(await enter(server), 'liegengeblieben');
    await server.sql(`update auth.mfa_factors set created_at = created_at - interval '2 days'`);
    const afterRound = async (ms: number): Promise<number> => {
      server.advance(ms);
      await server.call('GET', '/health');
      return (await server.sql('select from auth.mfa_factors')).length;
    };
    await afterRound(366 * DAY);
    await afterRound(-366 * DAY);
    await expect.poll(() => afterRound(MINUTE), { interval: 20 }).toBe(0);
    await server.stop();
  });

  test('an old factor that is being verified stays', async () => {
    const server = await bootAuthBackend({ clock: 'frozen' });
    const me = await enter(server);
    const [left, asked] = [await enrolApp(me, 'liegengeblieben'), await enrolApp(me, 'in Arbeit')];
    server.advance(2 * DAY);
    const again = await enter(server, me);
    await again.client.auth.mfa.challenge({ factorId: asked.factorId });
    const afterRounds = async (): Promise<unknown[]> => {
      server.advance(MINUTE);
      await server.call('GET', '/health');
      return server.sql('select id from auth.mfa_factors order by created_at');
    };
    await expect.poll(afterRounds, { interval: 20 }).not.toContainEqual({ id: left.factorId });
    expect(await afterRounds()).toEqual([{ id: asked.factorId }]);
    await server.stop();
  });
});
