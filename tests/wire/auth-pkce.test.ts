import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { getClaims, pkceClient } from '#tests/support/auth-pkce.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({ auth: mailing, clock: 'frozen' });
});
afterAll(() => server.stop());

const fresh = (): string => `${randomUUID()}@beispiel.test`;
const password = 'lang genug fuer hier';

async function codeFrom(email: string, count = 1): Promise<string> {
  const { status, target } = await follow(server, await mailTo(server, email, count));
  expect([status, target.hash]).toEqual([303, '']);
  return target.searchParams.get('code') ?? '';
}

const exchange = (body: object): Promise<Response> => server.call('POST', '/token?grant_type=pkce', body);

describe('§7 POST /token pkce, through the official client', () => {
  test('a forgotten password: link → code → session', async () => {
    const { email, id } = await addPerson(server);
    const client = pkceClient(server);
    await client.auth.resetPasswordForEmail(email);
    expect((await mailTo(server, email)).link.searchParams.get('token')).toMatch(/^pkce_[0-9a-f]{56}$/);
    const { data, error } = await client.auth.exchangeCodeForSession(await codeFrom(email));
    expect([error, data.user?.id]).toEqual([null, id]);
    expect(getClaims(data.session?.access_token)['amr']).toMatchObject([{ method: 'recovery' }]);
  });

  test('sign-up and magic link', async () => {
    const email = fresh();
    const client = pkceClient(server);
    await client.auth.signUp({ email, password });
    const { data } = await client.auth.exchangeCodeForSession(await codeFrom(email));
    expect(data.user).toMatchObject({ email, email_confirmed_at: expect.any(String) });
    expect(getClaims(data.session?.access_token)['amr']).toMatchObject([{ method: 'email/signup' }]);
    server.advance(61_000);
    await client.auth.signInWithOtp({ email });
    const again = await client.auth.exchangeCodeForSession(await codeFrom(email, 2));
    expect(getClaims(again.data.session?.access_token)['amr']).toMatchObject([{ method: 'magiclink' }]);
  });

  test('a change of address: the second mailbox leads to the code, the first to a message in the query', async () => {
    const { email, password: own } = await addPerson(server);
    const wanted = fresh();
    const client = pkceClient(server);
    await client.auth.signInWithPassword({ email, password: own });
    await client.auth.updateUser({ email: wanted });
    const half = await follow(server, await mailTo(server, wanted));
    expect(half.target.searchParams.get('message')).toMatch(/^Confirmation link accepted/);
    const { data } = await client.auth.exchangeCodeForSession(await codeFrom(email));
    expect(data.user?.email).toBe(wanted);
  });

  test('the code from the mail still opens a session at once', async () => {
    const { email, id } = await addPerson(server);
    const client = pkceClient(server);
    await client.auth.signInWithOtp({ email });
    const { code } = await mailTo(server, email);
    const { data } = await client.auth.verifyOtp({ email, token: code, type: 'email' });
    expect(data.user?.id).toBe(id);
  });
});

describe('contract §1.4 exchange of a code', () => {
  async function begin(): Promise<{ email: string; verifier: string }> {
    const { email } = await addPerson(server);
    const verifier = 'v'.repeat(43);
    await server.call('POST', '/otp', { email, code_challenge: verifier, code_challenge_method: 'plain' });
    return { email, verifier };
  }

  const said = async (response: Response): Promise<unknown[]> => {
    const { code, error_code } = (await response.json()) as { code: number; error_code: string };
    return [code, error_code];
  };

  test('once, also when ten ask at the same time', async () => {
    const { email, verifier } = await begin();
    const body = { auth_code: await codeFrom(email), code_verifier: verifier };
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await said(await exchange(body))).toEqual([404, 'flow_state_not_found']);
  });

  test('a wrong verifier → 400 bad_code_verifier, and the right one still works', async () => {
    const { email, verifier } = await begin();
    const auth_code = await codeFrom(email);
    expect(await said(await exchange({ auth_code, code_verifier: 'falsch' }))).toEqual([400, 'bad_code_verifier']);
    expect((await exchange({ auth_code, code_verifier: verifier })).status).toBe(200);
  });

  test('five minutes from the click of a magic link, whenever it was sent', async () => {
    const { email, verifier } = await begin();
    server.advance(1_800_000);
    const auth_code = await codeFrom(email);
    server.advance(300_001);
    expect(await said(await exchange({ auth_code, code_verifier: verifier }))).toEqual([422, 'flow_state_expired']);
  });

  test('otherwise from the request', async () => {
    const { email } = await addPerson(server);
    const client = pkceClient(server);
    await client.auth.resetPasswordForEmail(email);
    server.advance(300_001);
    const { error } = await client.auth.exchangeCodeForSession(await codeFrom(email));
    expect(error).toMatchObject({ status: 422, code: 'flow_state_expired' });
  });

  test('refuses a user banned meanwhile', async () => {
    const { email, verifier } = await begin();
    const auth_code = await codeFrom(email);
    const [row] = await server.sql('select id from auth.users where email = $1', [email]);
    await server.service().auth.admin.updateUserById(String(row?.['id']), { ban_duration: '1h' });
    expect(await said(await exchange({ auth_code, code_verifier: verifier }))).toEqual([400, 'user_banned']);
  });

  test.each([
    [{}, 400, 'validation_failed'],
    [{ auth_code: 'x' }, 400, 'validation_failed'],
    [{ code_verifier: 'x' }, 400, 'validation_failed'],
    [{ auth_code: 'x', code_verifier: 'y' }, 404, 'flow_state_not_found'],
    [{ auth_code: 1, code_verifier: 'y' }, 400, 'bad_json'],
  ])('%j → %i %s', async (body, status, code) => {
    expect(await said(await exchange(body))).toEqual([status, code]);
  });

  test('the code of a flow is stored as its hash', async () => {
    const { email } = await begin();
    const code = await codeFrom(email);
    const rows = await server.sql('select auth_code from auth.flow_state where auth_code is not null');
    expect(rows.every(({ auth_code }) => /^[0-9a-f]{64}$/.test(String(auth_code)))).toBe(true);
    expect(JSON.stringify(rows)).not.toContain(code);
  });
});

describe('contract §1.6 code_challenge', () => {
  test.each(['/signup', '/otp', '/recover', '/resend'])('POST %s takes both members or none', async (route) => {
    const body = { email: fresh(), password, type: 'signup', code_challenge: 'a'.repeat(43) };
    const response = await server.call('POST', route, body);
    expect(await response.json()).toMatchObject({
      code: 400,
      msg: 'PKCE flow requires code_challenge_method and code_challenge',
    });
  });

  test('a link that has expired says so in the query as well', async () => {
    const { email } = await addPerson(server);
    await pkceClient(server).auth.resetPasswordForEmail(email);
    const mail = await mailTo(server, email);
    server.advance(3_601_000);
    const { target } = await follow(server, mail);
    const told = { error: 'access_denied', error_code: 'otp_expired' };
    expect(Object.fromEntries(target.searchParams)).toMatchObject(told);
    expect(Object.fromEntries(new URLSearchParams(target.hash.slice(1)))).toMatchObject({ ...told, sb: '' });
  });

  test('a link with a deleted flow → flow_state_not_found', async () => {
    const { email } = await addPerson(server);
    await pkceClient(server).auth.resetPasswordForEmail(email);
    const mail = await mailTo(server, email);
    await server.sql('delete from auth.flow_state');
    const { target } = await follow(server, mail);
    expect(target.searchParams.get('error_code')).toBe('flow_state_not_found');
  });
});
