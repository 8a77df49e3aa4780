import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({ auth: mailing });
});
afterAll(() => server.stop());

const fresh = (): string => `${randomUUID()}@beispiel.test`;

describe('§7 POST /verify', () => {
  test.each([
    [{ token: '123456', email: 'a@beispiel.test' }, 'Verify requires a verification type'],
    [{ type: 'signup' }, 'Verify requires either a token or a token hash'],
    [{ type: 'signup', token: '1', token_hash: '2' }, 'Verify requires either a token or a token hash'],
    [{ type: 'signup', token_hash: '2', email: 'a@beispiel.test' }, 'Only the token_hash and type should be provided'],
    [{ type: 'anders', token_hash: '2' }, 'Invalid email verification type'],
    [{ type: 'constructor', token_hash: '2' }, 'Invalid email verification type'],
    [{ type: 'signup', token: '1' }, 'Only an email address or phone number should be provided on verify'],
    [
      { type: 'signup', token: '1', email: 'a@beispiel.test', phone: '49170' },
      'Only an email address or phone number should be provided on verify',
    ],
    [{ type: 'email', token_hash: '2', redirect_to: '/' }, 'Only the token_hash and type should be provided'],
  ])('%j → 400', async (body, msg) => {
    const response = await server.call('POST', '/verify', body);
    expect(await response.json()).toEqual({ code: 400, error_code: 'validation_failed', msg });
  });

  test.each([
    [{ type: 'email', token: '1', email: 'keine' }, 422, 'validation_failed', 'Invalid email format'],
    [{ type: 'anders', token: '1', email: 'a@beispiel.test' }, 403, 'otp_expired', 'Token has expired or is invalid'],
    [{ type: 'sms', token: '1', email: 'a@beispiel.test' }, 403, 'otp_expired', 'Token has expired or is invalid'],
    [{ type: 'sms', token: '1', phone: '0' }, 400, 'validation_failed', expect.stringContaining('E.164')],
  ])('%j → %i %s', async (body, status, error_code, msg) => {
    const response = await server.call('POST', '/verify', body);
    expect(await response.json()).toEqual({ code: status, error_code, msg });
  });

  test.each(['/verify?type=signup', '/verify?token=abc', '/verify'])(
    'GET %s is told, not redirected',
    async (route) => {
      const response = await server.call('GET', route);
      expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([400, 'validation_failed']);
    },
  );

  test('an unknown hash → 403 otp_expired', async () => {
    const { error } = await server.client().auth.verifyOtp({ token_hash: 'abc', type: 'email' });
    expect(error).toMatchObject({ status: 403, code: 'otp_expired', message: 'Email link is invalid or has expired' });
  });

  test('ten clicks at once on one link open one session', async () => {
    const { email, id } = await addPerson(server);
    const { data } = await server.service().auth.admin.generateLink({ type: 'magiclink', email });
    const token_hash = data.properties?.hashed_token ?? '';
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => server.client().auth.verifyOtp({ token_hash, type: 'magiclink' })),
    );
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    expect(await server.sql('select 1 as one from auth.sessions where user_id = $1', [id])).toHaveLength(1);
  });

  test('a banned user → 403 user_banned', async () => {
    const { email, id } = await addPerson(server);
    const { data } = await server.service().auth.admin.generateLink({ type: 'magiclink', email });
    await server.service().auth.admin.updateUserById(id, { ban_duration: '1h' });
    const { error } = await server
      .client()
      .auth.verifyOtp({ token_hash: data.properties?.hashed_token ?? '', type: 'magiclink' });
    expect(error).toMatchObject({ status: 403, code: 'user_banned' });
  });

  test('A database that fails while a code is checked makes no wrong code of it (threat 13)', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.signInWithOtp({ email });
    const { code } = await mailTo(server, email);
    const enter = () => server.call('POST', '/verify', { type: 'email', email, token: code });
    await server.sql(
      `create function public.fail() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`,
    );
    await server.sql('create trigger fails before insert on auth.sessions execute function public.fail()');
    for (let time = 1; time <= 6; time += 1) expect((await enter()).status).toBe(500);
    await server.sql('drop function public.fail() cascade');
    expect((await enter()).status).toBe(200);
  });

  test('codes are stored as hashes only', async () => {
    const { email } = await addPerson(server);
    const { data } = await server.service().auth.admin.generateLink({ type: 'recovery', email });
    const [row] = await server.sql('select * from auth.one_time_tokens where relates_to = $1', [email]);
    expect(row?.['token_hash']).toBe(data.properties?.hashed_token);
    expect(row?.['token_hash']).toMatch(/^[0-9a-f]{56}$/);
  });
});

describe('contract §1.6 change of address with confirmations', () => {
  test('both mailboxes must agree, in either order', async () => {
    const { email, password: own, id } = await addPerson(server);
    const wanted = fresh();
    const client = server.client();
    await client.auth.signInWithPassword({ email, password: own });
    const { data } = await client.auth.updateUser({ email: wanted });
    expect(data.user).toMatchObject({ email, new_email: wanted, email_change_sent_at: expect.any(String) });
    const half = await follow(server, await mailTo(server, wanted));
    expect(half.members.get('message')).toMatch(/^Confirmation link accepted/);
    expect((await client.auth.getUser()).data.user?.email).toBe(email);
    const done = await follow(server, await mailTo(server, email));
    expect(done.members.get('type')).toBe('email_change');
    const { data: after } = await client.auth.getUser();
    expect(after.user).toMatchObject({ id, email: wanted, identities: [{ email: wanted }] });
    expect(after.user).not.toHaveProperty('new_email');
  });

  test('… or the codes of both mails, each with its own address', async () => {
    const { email, password: own } = await addPerson(server);
    const wanted = fresh();
    const client = server.client();
    await client.auth.signInWithPassword({ email, password: own });
    await client.auth.updateUser({ email: wanted });
    const [present, next] = [await mailTo(server, email), await mailTo(server, wanted)];
    const crossed = await client.auth.verifyOtp({ email, token: next.code, type: 'email_change' });
    expect(crossed.error?.code).toBe('otp_expired');
    const half = await client.auth.verifyOtp({ email, token: present.code, type: 'email_change' });
    expect([half.error, half.data.session]).toEqual([null, null]);
    const done = await client.auth.verifyOtp({ email: wanted, token: next.code, type: 'email_change' });
    expect(done.data.user?.email).toBe(wanted);
  });

  test('an administrator can hand over both links', async () => {
    const { email } = await addPerson(server);
    const wanted = fresh();
    const { admin } = server.service().auth;
    const current = await admin.generateLink({ type: 'email_change_current', email, newEmail: wanted });
    const incoming = await admin.generateLink({ type: 'email_change_new', email, newEmail: wanted });
    const verify = (token_hash?: string): Promise<Response> =>
      server.call('POST', '/verify', { type: 'email_change', token_hash });
    const half = await verify(current.data.properties?.hashed_token);
    expect(await half.json()).toMatchObject({ code: '200', msg: expect.stringContaining('other email') });
    const done = await verify(incoming.data.properties?.hashed_token);
    expect(await done.json()).toMatchObject({ user: { email: wanted } });
  });

  test('one mailbox agreeing twice is not two', async () => {
    const { email, password: own } = await addPerson(server);
    const wanted = fresh();
    const client = server.client();
    await client.auth.signInWithPassword({ email, password: own });
    await client.auth.updateUser({ email: wanted });
    const first = await mailTo(server, wanted);
    await follow(server, first);
    server.advance(61_000);
    await client.auth.updateUser({ email: wanted });
    await expect.poll(async () => (await mailTo(server, wanted)).code).not.toBe(first.code);
    expect((await follow(server, await mailTo(server, wanted))).members.get('message')).toMatch(
      /^Confirmation link accepted/,
    );
    expect((await client.auth.getUser()).data.user?.email).toBe(email);
  });

  test('a confirmation counts for its address only', async () => {
    const { email } = await addPerson(server);
    const { admin } = server.service().auth;
    const first = await admin.generateLink({ type: 'email_change_current', email, newEmail: fresh() });
    const body = { type: 'email_change', token_hash: first.data.properties?.hashed_token };
    expect((await server.call('POST', '/verify', body)).status).toBe(200);
    const second = await admin.generateLink({ type: 'email_change_new', email, newEmail: fresh() });
    const other = { type: 'email_change', token_hash: second.data.properties?.hashed_token };
    expect(await (await server.call('POST', '/verify', other)).json()).toMatchObject({ code: '200' });
  });
});

describe('contract §1.6 number of mails', () => {
  test('30 an hour altogether, then 429 over_email_send_rate_limit', async () => {
    const few = await bootAuthBackend({ auth: (auth) => ({ rate_limit: { ...auth.rate_limit, email_sent: 2 } }) });
    const invite = async (): Promise<string | undefined> =>
      (await few.service().auth.admin.inviteUserByEmail(fresh())).error?.code;
    expect([await invite(), await invite(), await invite()]).toEqual([
      undefined,
      undefined,
      'over_email_send_rate_limit',
    ]);
    few.advance(3_600_000);
    expect(await invite()).toBeUndefined();
    await few.stop();
  });
});
