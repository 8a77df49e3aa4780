import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { mailTo } from '#tests/support/auth-mails.ts';
import { startLeakService, type LeakService } from '#tests/support/leak-service.ts';
import { addPerson } from '#tests/support/people.ts';

const LEAKED = 'Sommer2026!';
const STRONG = 'Kr4nich im Nebel!';
let service: LeakService;
let server: AuthBackend;
beforeAll(async () => {
  service = await startLeakService();
  service.leak(LEAKED);
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({
      ...mailing(auth),
      email: { ...auth.email, enable_confirmations: false },
      password_requirements: 'lower_upper_letters_digits_symbols',
      password: { ...auth.password, hibp: { ...auth.password.hibp, enabled: true, url: service.url } },
      security: { update_password_require_current_password: true },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await service.stop();
});
beforeEach(() => service.behave('well'));

const email = (): string => `${randomUUID()}@beispiel.test`;
const weak = (reasons: string[]) => ({ status: 422, code: 'weak_password', reasons });
async function enter() {
  const person = await addPerson(server, { password: STRONG });
  const client = server.client();
  await client.auth.signInWithPassword({ email: person.email, password: STRONG });
  return { ...person, client };
}

describe('contract §1.6 password rules: weak_password with its reasons', () => {
  const WEAK: [string, string[]][] = [
    ['kurz', ['length', 'characters']],
    ['nur kleine buchstaben', ['characters']],
    [LEAKED, ['pwned']],
  ];
  test.each(WEAK)('%s: at sign-up, by updateUser, by an administrator', async (password, reasons) => {
    expect((await server.client().auth.signUp({ email: email(), password })).error).toMatchObject(weak(reasons));
    const { client, id } = await enter();
    expect((await client.auth.updateUser({ password })).error).toMatchObject(weak(reasons));
    const { admin } = server.service().auth;
    expect((await admin.createUser({ email: email(), password })).error).toMatchObject(weak(reasons));
    expect((await admin.updateUserById(id, { password })).error).toMatchObject(weak(reasons));
    const link = await admin.generateLink({ type: 'signup', email: email(), password });
    expect(link.error).toMatchObject(weak(reasons));
  });

  test('a login with a leaked password succeeds with a warning', async () => {
    const password = 'Ein Dachs im 7. Stock';
    const person = await addPerson(server, { password });
    service.leak(password);
    const { data, error } = await server.client().auth.signInWithPassword({ email: person.email, password });
    expect([error, data.weakPassword?.reasons]).toEqual([null, ['pwned']]);
  });

  test('registration works while the service does not answer', async () => {
    service.behave('badly');
    expect((await server.client().auth.signUp({ email: email(), password: LEAKED })).error).toBeNull();
  });
});

describe('[auth.security] update_password_require_current_password', () => {
  const next = 'Fr0sch im Teich!';
  test('without it → 400 current_password_required, a wrong one → current_password_invalid, the right one counts', async () => {
    const { client } = await enter();
    expect((await client.auth.updateUser({ password: next })).error).toMatchObject({
      status: 400,
      code: 'current_password_required',
    });
    const wrong = await client.auth.updateUser({ password: next, current_password: 'falsch' });
    expect(wrong.error).toMatchObject({ status: 400, code: 'current_password_invalid' });
    expect((await client.auth.updateUser({ password: next, current_password: STRONG })).error).toBeNull();
  });

  test('a session from a link or a code sets a password without the old one', async () => {
    const person = await addPerson(server, { password: STRONG });
    await server.client().auth.resetPasswordForEmail(person.email);
    const client = server.client();
    await client.auth.verifyOtp({
      email: person.email,
      token: (await mailTo(server, person.email)).code,
      type: 'recovery',
    });
    expect((await client.auth.updateUser({ password: next })).error).toBeNull();
  });

  test('threat 13 a stolen session guesses it a few times only', async () => {
    const { client } = await enter();
    const codes: (string | undefined)[] = [];
    for (let guess = 0; guess < 40; guess += 1) {
      codes.push((await client.auth.updateUser({ password: next, current_password: `geraten ${guess}` })).error?.code);
    }
    expect(codes.filter((code) => code === 'current_password_invalid')).toHaveLength(5);
    expect(codes.filter((code) => code === 'over_request_rate_limit')).toHaveLength(35);
  });
});
