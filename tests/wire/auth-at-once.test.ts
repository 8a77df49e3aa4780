import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, mailing, type AuthBackend } from '#tests/support/auth-backend.ts';
import { follow, mailTo } from '#tests/support/auth-mails.ts';
import { pkceClient } from '#tests/support/auth-pkce.ts';
import { holdRows, type HeldRows } from '#tests/support/held-rows.ts';
import { addPerson, newPassword } from '#tests/support/people.ts';
import { enrolApp, enter, getCode, type SignedIn } from '#tests/support/second-factors.ts';

let server: AuthBackend;
beforeAll(async () => void (server = await bootAuthBackend({ auth: mailing })));
afterAll(() => server.stop());

const holdAccount = (id: string): Promise<HeldRows> => holdRows(server.backend.databaseUrl, 'auth.users where id', id);

describe('A new password and a link of a mail at the same moment', () => {
  test('Both are answered where each waits for what the other has locked', async () => {
    const person = await enter(server);
    await server.client().auth.resetPasswordForEmail(person.email);
    const { code } = await mailTo(server, person.email);
    const account = await holdAccount(person.id);
    const changed = person.client.auth.updateUser({ password: newPassword() });
    await account.waitFor(1);
    const verified = server.client().auth.verifyOtp({ email: person.email, token: code, type: 'recovery' });
    await account.waitFor(2);
    await account.release();
    expect((await changed).error).toBeNull();
    expect((await verified).error?.status ?? 200).toBeLessThan(500);
  });
});

describe('A login while its password is compared', () => {
  const LATE_CHANGES = [
    ['a new password', `update auth.users set encrypted_password = 'x' where id = $1`, 'invalid_credentials'],
    [
      'a lock of the account',
      `update auth.users set banned_until = now() + interval '1 day' where id = $1`,
      'user_banned',
    ],
    ['the end of the account', 'delete from auth.users where id = $1', 'invalid_credentials'],
  ] as const;

  test.each(LATE_CHANGES)('%s opens no session', async (_, change, code) => {
    const { id, email, password } = await addPerson(server);
    const account = await holdAccount(id);
    const login = server.client().auth.signInWithPassword({ email, password });
    await account.waitFor(1);
    await account.query(change, [id]);
    await account.release();
    expect((await login).error).toMatchObject({ status: 400, code });
    expect(await server.sql('select id from auth.sessions where user_id = $1', [id])).toEqual([]);
  });
});

describe('The exchange of a code while its account changes', () => {
  const LATE_CHANGES = [
    ['A ban', `update auth.users set banned_until = now() + interval '1 day' where id = $1`, 'user_banned'],
    ['A soft deletion', 'update auth.users set deleted_at = now() where id = $1', 'flow_state_not_found'],
  ] as const;

  test.each(LATE_CHANGES)('%s lets it open no session', async (_, change, code) => {
    const { id, email } = await addPerson(server);
    const client = pkceClient(server);
    await client.auth.resetPasswordForEmail(email);
    const { target } = await follow(server, await mailTo(server, email));
    const account = await holdAccount(id);
    const exchanged = client.auth.exchangeCodeForSession(target.searchParams.get('code') ?? '');
    await account.waitFor(1);
    await account.query(change, [id]);
    await account.release();
    expect((await exchanged).error).toMatchObject({ code });
    expect(await server.sql('select id from auth.sessions where user_id = $1', [id])).toEqual([]);
  });
});

describe('Two sessions that set a new password at the same moment', () => {
  test('The one that the other has ended changes nothing', async () => {
    const [first, second] = await enterTwice();
    const account = await holdAccount(first.id);
    const passwords = [newPassword(), newPassword()] as const;
    const answers = [first.client.auth.updateUser({ password: passwords[0] })];
    await account.waitFor(1);
    answers.push(second.client.auth.updateUser({ password: passwords[1] }));
    await account.waitFor(2);
    await account.release();
    const [changed, late] = await Promise.all(answers);
    expect(changed?.error).toBeNull();
    expect(late?.error).toMatchObject({ name: 'AuthSessionMissingError' });
    const login = (password: string) => server.client().auth.signInWithPassword({ email: first.email, password });
    expect((await login(passwords[0])).error).toBeNull();
    expect((await login(passwords[1])).error).toMatchObject({ code: 'invalid_credentials' });
  });

  async function enterTwice(): Promise<readonly [SignedIn, SignedIn]> {
    const person = await addPerson(server);
    return [await enter(server, person), await enter(server, person)];
  }
});

describe('A second factor that an administrator removes while it is verified', () => {
  test('Leaves no session that has shown it', async () => {
    const person = await enter(server);
    const { factorId, secret } = await enrolApp(person);
    const sessions = await holdRows(server.backend.databaseUrl, 'auth.sessions where user_id', person.id);
    const verified = person.client.auth.mfa.challengeAndVerify({ factorId, code: getCode(server, secret) });
    await sessions.waitFor(1);
    const removed = server.service().auth.admin.mfa.deleteFactor({ id: factorId, userId: person.id });
    await sessions.waitFor(2);
    await sessions.release();
    expect([(await verified).error, (await removed).error]).toEqual([null, null]);
    const levels = await server.sql('select aal::text from auth.sessions where user_id = $1', [person.id]);
    expect(levels).toEqual([{ aal: 'aal1' }]);
  });
});

describe('A second factor that is removed while it is challenged', () => {
  test('Is answered as one that does not exist', async () => {
    const person = await enter(server);
    const { factorId } = await enrolApp(person);
    const factor = await holdRows(server.backend.databaseUrl, 'auth.mfa_factors where id', factorId);
    const challenged = person.client.auth.mfa.challenge({ factorId });
    await factor.waitFor(1);
    await factor.query('delete from auth.mfa_factors where id = $1', [factorId]);
    await factor.release();
    expect((await challenged).error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' });
  });
});
