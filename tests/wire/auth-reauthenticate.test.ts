import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SupabaseClient } from '@supabase/supabase-js';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { mailTo } from '#tests/support/auth-mails.ts';
import { addPerson, type Person } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({
      jwt_expiry: 604_800,
      email: { ...auth.email, secure_password_change: true },
      rate_limit: { ...auth.rate_limit, email_sent: 1_000, sign_in_sign_ups: 1_000, token_refresh: 1_000 },
    }),
  });
});
afterAll(() => server.stop());

type SignedIn = Person & { client: SupabaseClient; token: string };

async function enter(): Promise<SignedIn> {
  const person = await addPerson(server);
  const client = server.client();
  const { data } = await client.auth.signInWithPassword(person);
  return { ...person, client, token: data.session?.access_token ?? '' };
}

async function enterLongAgo(): Promise<SignedIn> {
  const signedIn = await enter();
  server.advance(25 * 3_600_000);
  return signedIn;
}

const password = 'ein neues Passwort';

describe('§7 GET /reauthenticate', () => {
  test('a session of today sets a password as it is', async () => {
    const { client } = await enter();
    expect((await client.auth.updateUser({ password })).error).toBeNull();
  });

  test('an older one needs the code from a mail, and the code is good once', async () => {
    const { client, email } = await enterLongAgo();
    const asked = await client.auth.updateUser({ password });
    expect(asked.error).toMatchObject({ status: 400, code: 'reauthentication_needed' });
    expect((await client.auth.reauthenticate()).error).toBeNull();
    const mail = await mailTo(server, email);
    expect([mail.subject, mail.link.host]).toEqual(['Dein Code zur Bestätigung', 'missing.invalid']);
    const { data, error } = await client.auth.updateUser({ password, nonce: mail.code });
    expect([error, data.user?.email]).toEqual([null, email]);
    const again = await client.auth.updateUser({ password: `${password} 2`, nonce: mail.code });
    expect(again.error).toMatchObject({
      status: 422,
      code: 'reauthentication_not_valid',
      message: 'Nonce has expired or is invalid',
    });
  });

  test('the code ends after an hour', async () => {
    const { client, email } = await enterLongAgo();
    await client.auth.reauthenticate();
    const { code } = await mailTo(server, email);
    server.advance(3_601_000);
    expect((await client.auth.updateUser({ password, nonce: code })).error?.code).toBe('reauthentication_not_valid');
  });

  test('threat 13 a code allows few guesses and works for its owner only', async () => {
    const [victim, other] = [await enter(), await enter()];
    server.advance(25 * 3_600_000);
    await victim.client.auth.reauthenticate();
    const { code } = await mailTo(server, victim.email);
    expect((await other.client.auth.updateUser({ password, nonce: code })).error?.code).toBe(
      'reauthentication_not_valid',
    );
    const guess = (nonce: string): Promise<Response> =>
      server.call('PUT', '/user', { password, nonce }, { authorization: `Bearer ${victim.token}` });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => guess(`x${index}`)));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5);
    server.advance(3_000);
    expect((await guess(code)).status).toBe(200);
  });

  test('one mail a minute', async () => {
    const { client } = await enter();
    await client.auth.reauthenticate();
    expect((await client.auth.reauthenticate()).error).toMatchObject({
      status: 429,
      code: 'over_email_send_rate_limit',
    });
  });

  test('whose address is not confirmed → 422 email_not_confirmed; without any → 400', async () => {
    const { client, id } = await enter();
    await server.sql('update auth.users set email_confirmed_at = null where id = $1', [id]);
    expect((await client.auth.reauthenticate()).error).toMatchObject({ status: 422, code: 'email_not_confirmed' });
    await server.sql(`update auth.users set email = null where id = $1`, [id]);
    expect((await client.auth.reauthenticate()).error).toMatchObject({
      status: 400,
      code: 'validation_failed',
      message: 'Reauthentication requires the user to have an email or a phone number',
    });
  });

  test('without a session → 401', async () => {
    expect((await server.call('GET', '/reauthenticate')).status).toBe(401);
  });
});
