import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { startCaptchaService, type CaptchaService } from '#tests/support/captcha-service.ts';
import { addPerson } from '#tests/support/people.ts';

let service: CaptchaService;
let server: AuthBackend;
beforeAll(async () => {
  service = await startCaptchaService();
  server = await bootAuthBackend({
    auth: (auth) => ({
      ...mailing(auth),
      enable_anonymous_sign_ins: true,
      captcha: { enabled: true, provider: 'hcaptcha', secret: 'geheim', site_key: '', url: service.url },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await service.stop();
});

const NONE = {
  status: 400,
  code: 'captcha_failed',
  message: 'captcha protection: request disallowed (no captcha_token found)',
};
const WRONG = {
  status: 400,
  code: 'captcha_failed',
  message: 'captcha protection: request disallowed (invalid-input-response)',
};

type Asked = Readonly<{ error: { status?: number | undefined; code?: string | undefined } | null }>;
type Ask = (captchaToken?: string) => Promise<Asked>;

const email = (): string => `${crypto.randomUUID()}@beispiel.test`;
const options = (captchaToken: string | undefined) => (captchaToken === undefined ? {} : { captchaToken });

const CALLS: [string, Ask][] = [
  [
    'signUp',
    (token) => server.client().auth.signUp({ email: email(), password: 'ein gutes Passwort', options: options(token) }),
  ],
  ['signInAnonymously', (token) => server.client().auth.signInAnonymously({ options: options(token) })],
  ['signInWithOtp', (token) => server.client().auth.signInWithOtp({ email: email(), options: options(token) })],
  ['resetPasswordForEmail', (token) => server.client().auth.resetPasswordForEmail(email(), options(token))],
  ['resend', (token) => server.client().auth.resend({ type: 'signup', email: email(), options: options(token) })],
];

describe('contract §1.6 captcha', () => {
  test.each(CALLS)(
    '%s: without one and with a wrong one → 400 captcha_failed, solved it goes on',
    async (_name, ask) => {
      expect((await ask()).error).toMatchObject(NONE);
      expect((await ask('geraten')).error).toMatchObject(WRONG);
      expect((await ask('solved')).error).toBeNull();
    },
  );

  test('signInWithPassword: before the password is looked at', async () => {
    const { email, password } = await addPerson(server);
    const enter = (given: string, captchaToken?: string) =>
      server.client().auth.signInWithPassword({ email, password: given, options: options(captchaToken) });
    expect((await enter('falsch')).error).toMatchObject(NONE);
    expect((await enter('falsch', 'solved')).error?.code).toBe('invalid_credentials');
    expect((await enter(password, 'solved')).error).toBeNull();
  });

  test('POST /magiclink is asked, too', async () => {
    const ask = async (security: object): Promise<number> =>
      (await server.call('POST', '/magiclink', { email: email(), ...security })).status;
    expect(await ask({})).toBe(400);
    expect(await ask({ gotrue_meta_security: { captcha_token: 'solved' } })).toBe(200);
  });

  test('signInWithSSO is asked, too', async () => {
    const ask = (captchaToken?: string) =>
      server.client().auth.signInWithSSO({ domain: 'beispiel.test', options: options(captchaToken) });
    expect((await ask()).error).toMatchObject(NONE);
    expect((await ask('solved')).error?.code).not.toBe('captcha_failed');
  });

  test('refreshing, codes and links need none', async () => {
    const { email, password } = await addPerson(server);
    const client = server.client();
    await client.auth.signInWithPassword({ email, password, options: { captchaToken: 'solved' } });
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await client.auth.exchangeCodeForSession('x')).error?.code).not.toBe('captcha_failed');
    const token = await client.auth.signInWithIdToken({ provider: 'google', token: 'x' });
    expect(token.error?.code).not.toBe('captcha_failed');
    const verified = await client.auth.verifyOtp({ type: 'email', email, token: '123456' });
    expect(verified.error?.code).toBe('otp_expired');
  });

  test('an administrator is asked for none', async () => {
    const { error } = await server.service().auth.resetPasswordForEmail(email());
    expect(error).toBeNull();
  });

  test('the service gets the address of the caller', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const body = { email: email(), gotrue_meta_security: { captcha_token: ' solved ' } };
    expect((await server.call('POST', '/recover', body, headers)).status).toBe(200);
    expect(service.asked.at(-1)).toMatchObject({ remoteip: '203.0.113.77', response: 'solved', secret: 'geheim' });
  });

  test.each([[{ gotrue_meta_security: 'x' }], [{ gotrue_meta_security: { captcha_token: 7 } }], ['[]']])(
    '%j → 400 bad_json',
    async (body) => {
      const response = await server.call('POST', '/recover', body);
      expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([400, 'bad_json']);
    },
  );

  test('a service that does not answer → 500 without details, and no captcha passes', async () => {
    service.answerWith({ status: 500, body: 'interner Fehler geheim' });
    const body = { email: email(), gotrue_meta_security: { captcha_token: 'solved' } };
    const response = await server.call('POST', '/recover', body);
    const text = await response.text();
    expect([response.status, text]).toEqual([500, expect.stringContaining('captcha verification process failed')]);
    expect(text).not.toContain('geheim');
  });
});
