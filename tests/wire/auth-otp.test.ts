import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { getClaims } from '#tests/support/auth-pkce.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({ auth: mailing, clock: 'frozen' });
});
afterAll(() => server.stop());

const fresh = (): string => `${randomUUID()}@beispiel.test`;

describe('§7 POST /otp by mail', () => {
  test('a known user gets a link and a code, of which one opens a session', async () => {
    const { email, id } = await addPerson(server);
    const { data, error } = await server.client().auth.signInWithOtp({
      email: email.toUpperCase(),
      options: { emailRedirectTo: 'https://app.beispiel.test/x' },
    });
    expect([error, data]).toEqual([null, { user: null, session: null }]);
    const mail = await mailTo(server, email);
    expect([mail.subject, mail.link.searchParams.get('type')]).toEqual(['Dein Link zum Anmelden', 'magiclink']);
    const entered = await server.client().auth.verifyOtp({ email, token: mail.code, type: 'email' });
    expect(entered.data.user?.id).toBe(id);
    expect(getClaims(entered.data.session?.access_token)['amr']).toMatchObject([{ method: 'otp' }]);
    expect((await follow(server, mail)).members.get('error_code')).toBe('otp_expired');
  });

  test('the link leads where it was asked to', async () => {
    const { email } = await addPerson(server);
    await server.client().auth.signInWithOtp({ email, options: { emailRedirectTo: 'https://app.beispiel.test/x' } });
    const { target, members } = await follow(server, await mailTo(server, email));
    expect(target.origin + target.pathname).toBe('https://app.beispiel.test/x');
    expect([members.get('type'), members.get('token_type')]).toEqual(['magiclink', 'bearer']);
  });

  test('a new user gets an account; the confirmation mail is the login link', async () => {
    const email = fresh();
    await server.client().auth.signInWithOtp({ email, options: { data: { name: 'Neu' } } });
    const mail = await mailTo(server, email);
    expect(mail.link.searchParams.get('type')).toBe('signup');
    const { data } = await server.client().auth.verifyOtp({ email, token: mail.code, type: 'email' });
    expect(data.user).toMatchObject({ email, user_metadata: { name: 'Neu', email_verified: true } });
    const guess = await server.client().auth.signInWithPassword({ email, password: '' });
    expect(guess.error?.code).toBe('invalid_credentials');
  });

  test('with confirmations off a new user gets a magic link', async () => {
    const open = await bootAuthBackend({ auth: () => ({ enable_signup: true }) });
    const email = fresh();
    expect((await open.client().auth.signInWithOtp({ email })).error).toBeNull();
    const { members } = await follow(open, await mailTo(open, email));
    expect([members.get('type'), getClaims(members.get('access_token') ?? '')['email']]).toEqual(['magiclink', email]);
    await open.stop();
  });

  test('Answers alike for a known and an unknown address that gets no account (decision 0142, threat 12)', async () => {
    const { email } = await addPerson(server);
    const unknown = fresh();
    for (const address of [unknown, email]) {
      const body = { email: address, create_user: false };
      const first = await server.call('POST', '/otp', body);
      expect([first.status, await first.json()]).toEqual([200, {}]);
      expect((await server.call('POST', '/otp', body)).status).toBe(429);
    }
    await mailTo(server, email);
    expect((await server.mails()).map(({ to }) => to)).not.toContain(unknown);
    expect(await server.sql('select from auth.users where email = $1', [unknown])).toEqual([]);
  });

  test('Answers alike for a known and an unknown address where signing up is off (D14, decision 0142)', async () => {
    const closed = await bootAuthBackend();
    const { email } = await addPerson(closed);
    const [unknown, unconfirmed] = [fresh(), fresh()];
    await closed.service().auth.admin.createUser({ email: unconfirmed });
    for (const address of [unknown, unconfirmed, email]) {
      expect((await closed.client().auth.signInWithOtp({ email: address })).error).toBeNull();
    }
    await mailTo(closed, email);
    expect((await closed.mails()).map(({ to }) => to)).toEqual([email]);
    await closed.stop();
  });

  test('Who was invited and has no password comes in with the code, also without signing up (D14, D15)', async () => {
    const closed = await bootAuthBackend();
    const email = fresh();
    await closed.service().auth.admin.inviteUserByEmail(email);
    await mailTo(closed, email);
    await closed.client().auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
    const { code } = await mailTo(closed, email, 2);
    const { data } = await closed.client().auth.verifyOtp({ email, token: code, type: 'email' });
    expect(data.user?.email_confirmed_at).toBeTruthy();
    await closed.stop();
  });

  test('threat 12 a new and a known user get the same answer, the second time too', async () => {
    const { email } = await addPerson(server);
    const ask = async (given: string): Promise<unknown[]> => {
      const response = await server.call('POST', '/otp', { email: given });
      return [response.status, await response.json()];
    };
    const unknown = fresh();
    expect([await ask(email), await ask(unknown)]).toEqual([
      [200, {}],
      [200, {}],
    ]);
    const soon = [429, expect.objectContaining({ error_code: 'over_email_send_rate_limit' })];
    expect([await ask(email), await ask(unknown)]).toEqual([soon, soon]);
  });

  test.each([
    [{}, 400, 'validation_failed', 'One of email or phone must be set'],
    [
      { email: 'a@beispiel.test', phone: '49170' },
      400,
      'validation_failed',
      'Only an email address or phone number should be provided',
    ],
    [
      { email: 'a@beispiel.test', channel: 'sms' },
      400,
      'validation_failed',
      'Channel should only be specified with Phone OTP',
    ],
    [{ email: 'keine' }, 400, 'validation_failed', 'Unable to validate email address: invalid format'],
    [{ phone: '491701234567' }, 400, 'phone_provider_disabled', 'Unsupported phone provider'],
    [{ email: 'a@beispiel.test', create_user: 'ja' }, 400, 'bad_json', expect.any(String)],
  ])('%j → %i %s', async (body, status, error_code, msg) => {
    const response = await server.call('POST', '/otp', body);
    expect(await response.json()).toEqual({ code: status, error_code, msg });
  });

  test('where mail is no way in → 422 email_provider_disabled', async () => {
    const off = await bootAuthBackend({ auth: (auth) => ({ email: { ...auth.email, enable_signup: false } }) });
    const response = await off.call('POST', '/otp', { email: fresh() });
    expect(await response.json()).toMatchObject({ code: 422, error_code: 'email_provider_disabled' });
    await off.stop();
  });
});

describe('contract §1.4 POST /magiclink', () => {
  test('does what POST /otp does for an address: a login link, or an account with its confirmation', async () => {
    const [{ email }, unknown] = [await addPerson(server), fresh()];
    for (const address of [email, unknown]) {
      const response = await server.call('POST', '/magiclink', { email: address, data: { name: 'Neu' } });
      expect([response.status, await response.json()]).toEqual([200, {}]);
    }
    expect((await mailTo(server, email)).link.searchParams.get('type')).toBe('magiclink');
    const mail = await mailTo(server, unknown);
    const { data } = await server.client().auth.verifyOtp({ email: unknown, token: mail.code, type: 'email' });
    expect(data.user).toMatchObject({ email: unknown, user_metadata: { name: 'Neu' } });
    expect((await server.call('POST', '/magiclink', { email })).status).toBe(429);
  });

  test.each([
    [{}, 422, 'validation_failed', 'Password recovery requires an email'],
    [{ email: 'keine' }, 400, 'validation_failed', 'Unable to validate email address: invalid format'],
    [{ email: 'a@beispiel.test', code_challenge: 'x'.repeat(43) }, 400, 'validation_failed', expect.any(String)],
  ])('%j → %i %s', async (body, status, error_code, msg) => {
    const response = await server.call('POST', '/magiclink', body);
    expect(await response.json()).toEqual({ code: status, error_code, msg });
  });

  test('threat 12 answers alike where signing up is off; no mail to an address without an account', async () => {
    const closed = await bootAuthBackend();
    const [{ email }, unknown] = [await addPerson(closed), fresh()];
    for (const address of [unknown, email]) {
      const response = await closed.call('POST', '/magiclink', { email: address });
      expect([response.status, await response.json()]).toEqual([200, {}]);
    }
    await mailTo(closed, email);
    expect((await closed.mails()).map(({ to }) => to)).toEqual([email]);
    await closed.stop();
  });
});

describe('threat 13 a code cannot be guessed as a link either', () => {
  test('address and code alone give no link token', async () => {
    const { createHash } = await import('node:crypto');
    const { email } = await addPerson(server);
    await server.client().auth.signInWithOtp({ email });
    const { code } = await mailTo(server, email);
    const token_hash = createHash('sha224').update(`${email}${code}`).digest('hex');
    expect((await server.client().auth.verifyOtp({ token_hash, type: 'email' })).error?.code).toBe('otp_expired');
  });
});
