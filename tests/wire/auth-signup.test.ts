import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { mailTo } from '#tests/support/auth-mails.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({ auth: mailing });
});
afterAll(() => server.stop());

const fresh = (): string => `${randomUUID()}@beispiel.test`;
const password = 'lang genug fuer hier';

describe('§7 POST /signup', () => {
  test('registration is off by default: 422 signup_disabled (D14)', async () => {
    const closed = await bootAuthBackend();
    const { error } = await closed.client().auth.signUp({ email: fresh(), password });
    expect(error).toMatchObject({
      status: 422,
      code: 'signup_disabled',
      message: 'Signups not allowed for this instance',
    });
    expect((await closed.client().auth.signInAnonymously()).error).toMatchObject({
      status: 422,
      code: 'anonymous_provider_disabled',
    });
    await closed.stop();
  });

  test('with confirmations off → a Session; a second time 422 user_already_exists', async () => {
    const open = await bootAuthBackend({ auth: () => ({ enable_signup: true }) });
    const email = fresh();
    const { data } = await open
      .client()
      .auth.signUp({ email: email.toUpperCase(), password, options: { data: { name: 'Ä' } } });
    expect(data.session).not.toBeNull();
    expect(data.user).toMatchObject({ email, user_metadata: { name: 'Ä', email_verified: true } });
    // No mail was answered.
    expect(data.user?.identities?.[0]?.identity_data).toMatchObject({ email, email_verified: false });
    const again = await open.client().auth.signUp({ email, password });
    expect(again.error).toMatchObject({ status: 422, code: 'user_already_exists', message: 'User already registered' });
    expect((await open.client().auth.signInAnonymously()).error).toMatchObject({
      status: 422,
      code: 'anonymous_provider_disabled',
    });
    await open.stop();
  });

  test('anonymous users where they are allowed', async () => {
    const open = await bootAuthBackend({ auth: () => ({ enable_signup: true, enable_anonymous_sign_ins: true }) });
    const { data } = await open.client().auth.signInAnonymously({ options: { data: { a: 1 } } });
    expect(data.user).toMatchObject({ is_anonymous: true, email: '', user_metadata: { a: 1 }, identities: [] });
    await open.stop();
  });

  test('the identity keeps the data of the sign-up, but none that stands for an address', async () => {
    const [email, other] = [fresh(), fresh()];
    const claims = { sub: 'x', email: other, email_verified: true, phone: '49170', phone_verified: true };
    const options = { data: { a: 1, nested: { b: [2] }, ...claims } };
    const { data } = await server.client().auth.signUp({ email, password, options });
    const identity = data.user?.identities?.[0];
    expect(identity?.identity_data).toEqual({
      a: 1,
      nested: { b: [2] },
      sub: data.user?.id,
      email,
      email_verified: false,
      phone_verified: false,
    });
    expect((await server.client().auth.signUp({ email: other, password })).data.user?.role).toBe('authenticated');
  });

  test('with confirmations on → a bare user, no entry before the mail is answered', async () => {
    const email = fresh();
    const { data } = await server.client().auth.signUp({ email, password });
    expect([data.session, data.user]).toEqual([
      null,
      expect.objectContaining({ email, confirmation_sent_at: expect.any(String) }),
    ]);
    expect((await server.client().auth.signInWithPassword({ email, password })).error?.code).toBe(
      'email_not_confirmed',
    );
    const { code, subject } = await mailTo(server, email);
    expect(subject).toBe('Bestätige deine E-Mail-Adresse');
    const { data: entered } = await server.client().auth.verifyOtp({ email, token: code, type: 'email' });
    expect(entered.user).toMatchObject({
      email,
      email_confirmed_at: expect.any(String),
      user_metadata: { email_verified: true },
      identities: [{ identity_data: { email, email_verified: true } }],
    });
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });

  test('threat 12 an existing account → an invented user, no mail, nothing changed', async () => {
    const { email, id, password: own } = await addPerson(server);
    const { data, error } = await server.client().auth.signUp({ email, password });
    expect([error, data.user?.identities, data.user?.role]).toEqual([null, [], '']);
    expect(data.user?.id).not.toBe(id);
    expect((await server.mails()).map(({ to }) => to)).not.toContain(email);
    expect((await server.client().auth.signInWithPassword({ email, password: own })).error).toBeNull();
  });

  test.each([
    [{ email: 'a@beispiel.test' }, 400, 'validation_failed', 'Signup requires a valid password'],
    [
      { email: 'a@beispiel.test', phone: '49170', password },
      400,
      'validation_failed',
      'Only an email address or phone number should be provided on signup.',
    ],
    [{ phone: '49170', password }, 400, 'phone_provider_disabled', expect.any(String)],
    [{ email: 'keine', password }, 400, 'validation_failed', 'Unable to validate email address: invalid format'],
    [{ email: 'a@beispiel.test', password: 'kurz' }, 422, 'weak_password', expect.any(String)],
  ])('%j → %i %s', async (body, status, error_code, msg) => {
    const response = await server.call('POST', '/signup', body);
    expect(await response.json()).toMatchObject({ code: status, error_code, msg });
  });
});

describe('contract §1.4 POST /invite', () => {
  test('creates a user who signs in by the mail and sets a password', async () => {
    const email = fresh();
    const { data } = await server.service().auth.admin.inviteUserByEmail(email, { data: { name: 'Gast' } });
    expect(data.user).toMatchObject({
      email,
      invited_at: expect.any(String),
      confirmation_sent_at: expect.any(String),
    });
    const mail = await mailTo(server, email);
    expect([mail.subject, mail.link.searchParams.get('type')]).toEqual(['Du bist eingeladen', 'invite']);
    const client = server.client();
    const { data: entered } = await client.auth.verifyOtp({ email, token: mail.code, type: 'invite' });
    expect(entered.user).toMatchObject({ email, user_metadata: { name: 'Gast' } });
    expect((await client.auth.updateUser({ password })).error).toBeNull();
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
    const again = await server.service().auth.admin.inviteUserByEmail(email);
    expect(again.error).toMatchObject({ status: 422, code: 'email_exists' });
  });
});

describe('contract §1.4 POST /admin/generate_link', () => {
  const generate = (body: object): Promise<Response> =>
    server.call('POST', '/admin/generate_link', body, { authorization: `Bearer ${server.backend.keys.secretKey}` });

  test.each(['magiclink', 'recovery'] as const)('%s for a known user', async (type) => {
    const { email, id } = await addPerson(server);
    const { data } = await server
      .service()
      .auth.admin.generateLink({ type, email, options: { redirectTo: 'https://app.beispiel.test/x' } });
    expect(data.user).toMatchObject({ id, email });
    expect(data.properties).toMatchObject({ verification_type: type, redirect_to: 'https://app.beispiel.test/x' });
    const link = new URL(data.properties?.action_link ?? '');
    expect(link.searchParams.get('token')).toBe(data.properties?.hashed_token);
    const entered = await server.client().auth.verifyOtp({ email, token: data.properties?.email_otp ?? '', type });
    expect(entered.data.user?.id).toBe(id);
    expect((await server.mails()).map(({ to }) => to)).not.toContain(email);
  });

  test.each(['signup', 'invite', 'magiclink'] as const)('%s for a new user creates the account', async (type) => {
    const email = fresh();
    const { data } = await server.service().auth.admin.generateLink({ type, email, password });
    const token_hash = data.properties?.hashed_token ?? '';
    const verification = type === 'magiclink' ? 'signup' : type;
    expect(data.properties?.verification_type).toBe(verification);
    const entered = await server.client().auth.verifyOtp({ token_hash, type: verification });
    expect(entered.data.user?.email).toBe(email);
  });

  test.each(['email_change_current', 'email_change_new'] as const)(
    '%s keeps its name beside the link',
    async (type) => {
      const { email } = await addPerson(server);
      const { data } = await server.service().auth.admin.generateLink({ type, email, newEmail: fresh() });
      expect(data.properties?.verification_type).toBe(type);
      expect(new URL(data.properties?.action_link ?? '').searchParams.get('type')).toBe('email_change');
    },
  );

  test.each([
    [{ type: 'recovery', email: 'niemand@beispiel.test' }, 404, 'user_not_found'],
    [{ type: 'email_change_new', email: 'niemand@beispiel.test', new_email: 'x@beispiel.test' }, 404, 'user_not_found'],
    [{ type: 'signup', email: 'neu@beispiel.test' }, 400, 'validation_failed'],
    [{ type: 'anders', email: 'neu@beispiel.test' }, 400, 'validation_failed'],
    [{ type: 'recovery' }, 400, 'validation_failed'],
  ])('%j → %i %s', async (body, status, code) => {
    const response = await generate(body);
    expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([status, code]);
  });

  test('signup and invite for a confirmed user → 422 email_exists', async () => {
    const { email } = await addPerson(server);
    for (const type of ['signup', 'invite']) expect((await generate({ type, email, password })).status).toBe(422);
  });
});
