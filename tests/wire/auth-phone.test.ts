import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { getClaims } from '#tests/support/auth-pkce.ts';
import { addPerson } from '#tests/support/people.ts';
import { messageTo, startSmsProvider, type SmsProvider } from '#tests/support/sms-provider.ts';

const TEST_PHONE = '4915112345678';
let provider: SmsProvider;
let server: AuthBackend;
beforeAll(async () => {
  provider = await startSmsProvider();
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({
      ...mailing(auth),
      sms: {
        ...auth.sms,
        enable_signup: true,
        enable_confirmations: true,
        test_otp: { [TEST_PHONE]: '123456' },
      },
      hook: { send_sms: provider.hook },
      rate_limit: { ...auth.rate_limit, sms_sent: 1_000, sign_in_sign_ups: 1_000, token_verifications: 1_000 },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});

const fresh = (): string => `49170${randomInt(1_000_000, 9_999_999)}`;
const password = 'lang genug fuer hier';

describe('§7 POST /signup and POST /token with a phone number', () => {
  test('a signed message with the code; no entry before it is answered', async () => {
    const phone = fresh();
    const { data } = await server.client().auth.signUp({ phone: `+${phone}`, password });
    expect([data.session, data.user]).toEqual([null, expect.objectContaining({ phone, email: '' })]);
    const early = await server.client().auth.signInWithPassword({ phone, password });
    expect(early.error).toMatchObject({ status: 400, code: 'phone_not_confirmed', message: 'Phone not confirmed' });
    const message = await messageTo(provider, phone);
    expect(message).toMatchObject({ code: expect.stringMatching(/^\d{6}$/), signed: true });
    const entered = await server.client().auth.verifyOtp({ phone, token: message.code, type: 'sms' });
    expect(entered.data.user).toMatchObject({
      phone,
      phone_confirmed_at: expect.any(String),
      app_metadata: { provider: 'phone', providers: ['phone'] },
      identities: [{ provider: 'phone', identity_data: { phone, phone_verified: false } }],
    });
    expect((await server.client().auth.signInWithPassword({ phone, password })).error).toBeNull();
  });

  test('its identity keeps the data of the sign-up, but takes no address from it', async () => {
    const phone = fresh();
    const options = { data: { a: 1, email: 'fremd@beispiel.test' } };
    const { data } = await server.client().auth.signUp({ phone, password, options });
    expect(data.user?.identities?.[0]?.identity_data).toEqual({
      a: 1,
      sub: data.user?.id,
      phone,
      email_verified: false,
      phone_verified: false,
    });
  });

  test('threat 12 a number that has an account → an invented user, no message', async () => {
    const phone = fresh();
    await server.service().auth.admin.createUser({ phone, password, phone_confirm: true });
    const { data, error } = await server.client().auth.signUp({ phone, password: 'ein anderes Passwort' });
    expect([error, data.user?.identities, data.user?.phone]).toEqual([null, [], phone]);
    expect(provider.received.map((message) => message.phone)).not.toContain(phone);
  });

  test('wrong password and unknown number → the same answer', async () => {
    const phone = fresh();
    await server.service().auth.admin.createUser({ phone, password, phone_confirm: true });
    for (const given of [phone, fresh()]) {
      const { error } = await server.client().auth.signInWithPassword({ phone: given, password: 'falsch falsch' });
      expect(error).toMatchObject({ status: 400, code: 'invalid_credentials' });
    }
  });

  test.each([
    [{ phone: '0', password }, 'Invalid phone number format (E.164 required)'],
    [{ phone: '49170', password, code_challenge: 'a'.repeat(43) }, 'PKCE not supported for phone signups'],
  ])('%j → 400', async (body, msg) => {
    const response = await server.call('POST', '/signup', body);
    expect(await response.json()).toEqual({ code: 400, error_code: 'validation_failed', msg });
  });

  test('with confirmations off → a Session', async () => {
    const open = await bootAuthBackend({
      auth: (auth) => ({ enable_signup: true, sms: { ...auth.sms, enable_signup: true } }),
    });
    const phone = fresh();
    const { data } = await open.client().auth.signUp({ phone, password });
    expect(data.session?.user).toMatchObject({ phone, phone_confirmed_at: expect.any(String) });
    const again = await open.client().auth.signUp({ phone, password });
    expect(again.error).toMatchObject({ status: 422, code: 'user_already_exists' });
    await open.stop();
  });
});

describe('§7 POST /otp with a phone number', () => {
  test('A number without an account that gets none → otp_disabled, no message (contract §1.4)', async () => {
    const phone = fresh();
    const { error } = await server.client().auth.signInWithOtp({ phone, options: { shouldCreateUser: false } });
    expect(error).toMatchObject({ status: 422, code: 'otp_disabled', message: 'Signups not allowed for otp' });
    expect(provider.received.map((message) => message.phone)).not.toContain(phone);
    expect(await server.sql('select from auth.users where phone = $1', [phone])).toEqual([]);
  });

  test('a known and a new user sign in with the code', async () => {
    const known = fresh();
    await server.service().auth.admin.createUser({ phone: known, phone_confirm: true });
    for (const phone of [known, fresh()]) {
      expect((await server.client().auth.signInWithOtp({ phone })).error).toBeNull();
      const { code } = await messageTo(provider, phone);
      const { data } = await server.client().auth.verifyOtp({ phone, token: code, type: 'sms' });
      expect(getClaims(data.session?.access_token)).toMatchObject({ phone, amr: [{ method: 'otp' }] });
    }
  });

  test('numbers of the configuration have their code and cost no message', async () => {
    const first = await server.call('POST', '/otp', { phone: TEST_PHONE });
    expect(await first.json()).toEqual({});
    const entered = await server.client().auth.verifyOtp({ phone: TEST_PHONE, token: '123456', type: 'sms' });
    expect(entered.data.user?.phone).toBe(TEST_PHONE);
    server.advance(6_000);
    const again = await server.call('POST', '/otp', { phone: TEST_PHONE });
    expect(await again.json()).toEqual({ message_id: 'test-otp' });
    expect(provider.received.map((message) => message.phone)).not.toContain(TEST_PHONE);
    const wrong = await server.client().auth.verifyOtp({ phone: TEST_PHONE, token: '654321', type: 'sms' });
    expect(wrong.error?.code).toBe('otp_expired');
  });

  test('a code ends after a minute', async () => {
    const phone = fresh();
    await server.client().auth.signInWithOtp({ phone });
    const { code } = await messageTo(provider, phone);
    server.advance(61_000);
    const { error } = await server.client().auth.verifyOtp({ phone, token: code, type: 'sms' });
    expect(error).toMatchObject({ status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' });
  });

  test('threat 13 a code is guessed a few times only, from wherever; a minute later its owner gets in', async () => {
    const phone = fresh();
    await server.client().auth.signInWithOtp({ phone });
    const { code } = await messageTo(provider, phone);
    const guesses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const body = {
          type: 'sms',
          phone,
          token: code === String(index).padStart(6, '0') ? 'x' : String(index).padStart(6, '0'),
        };
        return server.call('POST', '/verify', body, { 'x-forwarded-for': `10.3.0.${index + 1}` });
      }),
    );
    expect(guesses.filter(({ status }) => status === 403).length).toBeLessThanOrEqual(30);
    server.advance(61_000);
    await server.client().auth.signInWithOtp({ phone });
    await expect.poll(async () => (await messageTo(provider, phone)).code).not.toBe(code);
    const next = await messageTo(provider, phone);
    expect((await server.client().auth.verifyOtp({ phone, token: next.code, type: 'sms' })).error).toBeNull();
  });

  test('one message to a number in five seconds', async () => {
    const phone = fresh();
    await server.client().auth.signInWithOtp({ phone });
    expect((await server.client().auth.signInWithOtp({ phone })).error).toMatchObject({
      status: 429,
      code: 'over_sms_send_rate_limit',
    });
  });

  test('a provider that refuses → 422 sms_send_failed', async () => {
    provider.answerWith({ status: 503 });
    const { error } = await server.client().auth.signInWithOtp({ phone: fresh() });
    provider.answerWith({ status: 204 });
    expect(error).toMatchObject({ status: 422, code: 'sms_send_failed' });
  });

  test('so many messages an hour → 429', async () => {
    const few = await bootAuthBackend({
      auth: (auth) => ({
        enable_signup: true,
        sms: { ...auth.sms, enable_signup: true, enable_confirmations: true },
        hook: { send_sms: provider.hook },
        rate_limit: { ...auth.rate_limit, sms_sent: 1 },
      }),
    });
    const code = async (): Promise<string | undefined> =>
      (await few.client().auth.signInWithOtp({ phone: fresh() })).error?.code;
    expect([await code(), await code()]).toEqual([undefined, 'over_sms_send_rate_limit']);
    await few.stop();
  });

  test('without a provider → 400 phone_provider_disabled, and no account', async () => {
    const none = await bootAuthBackend({
      auth: (auth) => ({ enable_signup: true, sms: { ...auth.sms, enable_signup: true, enable_confirmations: true } }),
    });
    const { error } = await none.client().auth.signInWithOtp({ phone: fresh() });
    expect(error).toMatchObject({ status: 400, code: 'phone_provider_disabled' });
    expect(await none.sql('select id from auth.users where phone is not null')).toEqual([]);
    await none.stop();
  });

  test('a channel only the provider of the operator may know', async () => {
    const phone = fresh();
    expect((await server.client().auth.signInWithOtp({ phone, options: { channel: 'whatsapp' } })).error).toBeNull();
    expect((await messageTo(provider, phone)).signed).toBe(true);
  });
});

describe('§7 PUT /user, /resend, /reauthenticate with a phone number', () => {
  test('a new number counts when its code comes back', async () => {
    const [present, next] = [fresh(), fresh()];
    const { email, password: own, id } = await addPerson(server, { phone: present, phone_confirm: true });
    const client = server.client();
    await client.auth.signInWithPassword({ email, password: own });
    const { data } = await client.auth.updateUser({ phone: next });
    expect(data.user).toMatchObject({ phone: present, new_phone: next });
    const first = await messageTo(provider, next);
    server.advance(6_000);
    expect((await server.client().auth.resend({ type: 'phone_change', phone: present })).error).toBeNull();
    await expect.poll(async () => (await messageTo(provider, next)).code).not.toBe(first.code);
    const { code } = await messageTo(provider, next);
    const moved = await client.auth.verifyOtp({ phone: next, token: code, type: 'phone_change' });
    expect(moved.data.user).toMatchObject({ id, phone: next, app_metadata: { providers: ['email', 'phone'] } });
    expect(moved.data.user).not.toHaveProperty('new_phone');
  });

  test('a new number is counted once where its transaction is run again (decision 0374)', async () => {
    const client = server.client();
    await client.auth.signInWithPassword(await addPerson(server));
    await server.sql('create sequence public.attempts');
    // A sequence keeps its count where a transaction is undone.
    await server.sql(`create function public.fail_first() returns trigger language plpgsql security definer as
      $$ begin
        if nextval('public.attempts') = 1 then raise 'undone' using errcode = '40P01'; end if;
        return new;
      end $$`);
    await server.sql(`create trigger fail_first before insert on auth.one_time_tokens
      for each row execute function public.fail_first()`);
    const { error } = await client.auth.updateUser({ phone: fresh() });
    const [attempts] = await server.sql('select last_value::int as count from public.attempts');
    await server.sql('drop function public.fail_first() cascade');
    await server.sql('drop sequence public.attempts');
    expect([error, attempts]).toEqual([null, { count: 2 }]);
  });

  test("another user's number → 422 phone_exists", async () => {
    const phone = fresh();
    await server.service().auth.admin.createUser({ phone, phone_confirm: true });
    const client = server.client();
    await client.auth.signInWithPassword(await addPerson(server));
    expect((await client.auth.updateUser({ phone })).error).toMatchObject({ status: 422, code: 'phone_exists' });
  });

  test('a confirmation again', async () => {
    const phone = fresh();
    await server.client().auth.signUp({ phone, password });
    const first = await messageTo(provider, phone);
    server.advance(6_000);
    expect((await server.client().auth.resend({ type: 'sms', phone })).error).toBeNull();
    await expect.poll(async () => (await messageTo(provider, phone)).code).not.toBe(first.code);
    const stale = await server.client().auth.verifyOtp({ phone, token: first.code, type: 'sms' });
    expect(stale.error?.code).toBe('otp_expired');
    const { code } = await messageTo(provider, phone);
    expect((await server.client().auth.verifyOtp({ phone, token: code, type: 'sms' })).error).toBeNull();
  });

  test('an account with only a number gets the code for a new password there', async () => {
    const phone = fresh();
    await server.service().auth.admin.createUser({ phone, password, phone_confirm: true });
    const client = server.client();
    await client.auth.signInWithPassword({ phone, password });
    expect((await client.auth.reauthenticate()).error).toBeNull();
    expect((await messageTo(provider, phone)).code).toMatch(/^\d{6}$/);
  });

  test('threat 13 the hash of a code sent to a phone opens nothing that is proved by mail', async () => {
    const { id, email } = await addPerson(server);
    await server.sql(
      `insert into auth.one_time_tokens (user_id, token_type, token_hash, relates_to)
        values ($1, 'confirmation_token', 'h', '49170')`,
      [id],
    );
    const { error } = await server.client().auth.verifyOtp({ token_hash: 'h', type: 'signup' });
    expect([error?.code, email]).toEqual(['otp_expired', email]);
  });
});
