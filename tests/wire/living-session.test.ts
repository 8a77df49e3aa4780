import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { deskApi, getToken } from '#tests/support/desk-calls.ts';
import { newPassword } from '#tests/support/people.ts';
import { postRecording, recordingForm } from '#tests/support/speech-app.ts';
import { signFor } from '#tests/support/storage.ts';

let server: TestServer;
beforeAll(async () => void (server = await bootServer()));
afterAll(() => server.stop());

type Answer = PromiseLike<Readonly<{ data: unknown; error: Readonly<{ code?: string; message?: string }> | null }>>;

async function outcome(answer: Answer): Promise<unknown> {
  const { data, error } = await answer;
  return error === null ? data : (error.code ?? error.message);
}

/**
 * What a token opens in the database: the own role, own rows, a new row, a file, and what only an administrator may
 * ask.
 */
async function getRights(client: SupabaseClient): Promise<Readonly<Record<string, unknown>>> {
  const sessions = await client.rpc('my_sessions');
  return {
    role: await outcome(client.from('user_roles').select('role')),
    rows: await outcome(client.from('interviews').select('transcript')),
    insert: (await client.from('interviews').insert({ transcript: 'neu' })).error?.code,
    files: (await client.storage.from('Media').list('1')).data,
    statistics: (await client.rpc('admin_statistics')).error?.code,
    inbox: (await client.rpc('desk_inbox', { query: {} })).error?.code,
    erase: (await client.rpc('desk_erase', { subject: { contribution: 1 } })).error?.code,
    dossier: (await client.rpc('desk_person_dossier', { email: 'x@beispiel.test' })).error?.code,
    sessions: sessions.data,
  };
}

const REFUSED = '42501';
const NONE = {
  role: [],
  rows: [],
  insert: 'PT401',
  files: [],
  statistics: REFUSED,
  inbox: REFUSED,
  erase: REFUSED,
  dossier: REFUSED,
  sessions: [],
};

/** Where nothing says any more that the account had a role. */
const NEVER_ANY = { ...NONE, insert: REFUSED };

type Ending = readonly [name: string, end: (user: TestUser) => Promise<unknown>];

const ENDINGS: readonly Ending[] = [
  ['a ban', ({ id }) => server.service().auth.admin.updateUserById(id, { ban_duration: '24h' })],
  ['a logout', (user) => signOutElsewhere(user)],
  ['a new password set in another session', (user) => changePasswordElsewhere(user)],
  ['the removal of the account', ({ id }) => server.service().auth.admin.deleteUser(id)],
  ['the end of the session in the table', ({ id }) => endSessions(id)],
];

async function otherSession({ email, password }: TestUser): Promise<SupabaseClient> {
  const other = server.client();
  const { error } = await other.auth.signInWithPassword({ email, password });
  if (error !== null) throw error;
  return other;
}

/** The client under test keeps its token: as one that somebody copied. */
async function signOutElsewhere(user: TestUser): Promise<void> {
  const { error } = await (await otherSession(user)).auth.signOut({ scope: 'global' });
  if (error !== null) throw error;
}

async function changePasswordElsewhere(user: TestUser): Promise<void> {
  const change = { password: newPassword(), current_password: user.password };
  const { error } = await (await otherSession(user)).auth.updateUser(change);
  if (error !== null) throw error;
}

function endSessions(userId: string): Promise<unknown> {
  return asOwner(server.databaseUrl, (owner) =>
    owner.query(`update auth.sessions set not_after = now() - interval '1 second' where user_id = $1`, [userId]),
  );
}

describe('Rights end when the session ends or the account is banned, before the token (§6, ASVS 7.4.1, 7.4.2)', () => {
  test.each(ENDINGS)('%s takes every right of an administrator from the token at once', async (name, end) => {
    const admin = await createUser(server, { role: 'admin' });
    expect(await outcome(admin.client.from('user_roles').select('role').eq('user_id', admin.id))).toEqual([
      { role: 'admin' },
    ]);
    expect(await getRights(admin.client)).toMatchObject({ insert: undefined, statistics: undefined, inbox: undefined });
    const copied = server.client({ headers: { authorization: `Bearer ${await getToken(admin)}` } });
    await end(admin);
    expect(await getRights(copied)).toEqual(name === 'the removal of the account' ? NEVER_ANY : NONE);
  });

  test.each(ENDINGS)('%s takes every right of a member from the token at once', async (name, end) => {
    const member = await createUser(server, { role: 'firma_a' });
    expect(await getRights(member.client)).toMatchObject({ role: [{ role: 'firma_a' }], insert: undefined });
    expect(await outcome(member.client.from('interviews').select('transcript'))).toEqual([{ transcript: 'neu' }]);
    const copied = server.client({ headers: { authorization: `Bearer ${await getToken(member)}` } });
    await end(member);
    expect(await getRights(copied)).toEqual(name === 'the removal of the account' ? NEVER_ANY : NONE);
  });

  test('A removed role takes its rights at once and leaves the session', async () => {
    const admin = await createUser(server, { role: 'admin' });
    const { error } = await server.service().from('user_roles').delete().eq('user_id', admin.id);
    expect(error).toBeNull();
    expect(await getRights(admin.client)).toEqual({
      ...NEVER_ANY,
      sessions: [expect.objectContaining({ is_current: true })],
    });
  });

  test('An ended ban gives the rights back', async () => {
    const member = await createUser(server, { role: 'firma_b' });
    await server.service().auth.admin.updateUserById(member.id, { ban_duration: '24h' });
    expect(await outcome(member.client.from('user_roles').select('role'))).toEqual([]);
    await server.service().auth.admin.updateUserById(member.id, { ban_duration: 'none' });
    expect(await outcome(member.client.from('user_roles').select('role'))).toEqual([{ role: 'firma_b' }]);
  });

  // An end in the table alone is known to the database alone: there the caller has no role, which is 403.
  test.each(ENDINGS)('%s refuses the token at the desk and the accounts', async (name, end) => {
    const status = name === 'the end of the session in the table' ? 403 : 401;
    const admin = await createUser(server, { role: 'admin' });
    const token = await getToken(admin);
    const desk = await deskApi(server.url, token);
    const accounts = async (): Promise<number> =>
      (await fetch(`${server.url}/v1/accounts`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([(await desk('GET', '/v1/desk/erasures')).status, await accounts()]).toEqual([200, 200]);
    await end(admin);
    expect([(await desk('GET', '/v1/desk/erasures')).status, await accounts()]).toEqual([status, status]);
  });
});

describe('Parts of the server that act for a login (§6)', () => {
  test.each(ENDINGS)('%s ends conversations and transcription for the token', async (name, end) => {
    const member = await createUser(server, { role: 'firma_a' });
    const headers = {
      apikey: server.backend.keys.publishableKey,
      authorization: `Bearer ${await getToken(member)}`,
      'content-type': 'application/json',
    };
    const ticket = async (): Promise<number> => {
      const body = JSON.stringify({ area: 'firma-a', topic: 'behind-scenes' });
      return (await fetch(`${server.url}/v1/convai/ticket`, { method: 'POST', headers, body })).status;
    };
    const transcribe = async (): Promise<number> => {
      const { apikey, authorization } = headers;
      const recording = recordingForm(Uint8Array.of(1, 2, 3));
      return (await postRecording(server.url, recording, { apikey, authorization })).status;
    };
    expect([await ticket(), await transcribe()]).toEqual([200, 503]);
    await end(member);
    expect([await ticket(), await transcribe()]).toEqual([403, 401]);
  });
});

describe('Tokens that the operator signs (decision 0140)', () => {
  test('A token without a session has the rights of its account until the account is banned', async () => {
    const member = await createUser(server, { role: 'firma_a' });
    const token = await signFor(server, { sub: member.id, role: 'authenticated' });
    const client = server.client({ headers: { authorization: `Bearer ${token}` } });
    expect(await outcome(client.from('user_roles').select('role'))).toEqual([{ role: 'firma_a' }]);
    await server.service().auth.admin.updateUserById(member.id, { ban_duration: '24h' });
    expect(await getRights(client)).toEqual(NONE);
  });

  test('A token that names the session of another account has no rights', async () => {
    const [member, other] = [await createUser(server, { role: 'admin' }), await createUser(server, { role: 'admin' })];
    const { data } = await other.client.rpc('my_sessions');
    const session_id: unknown = Array.isArray(data) ? data[0]?.id : undefined;
    for (const named of [session_id, randomUUID()]) {
      const token = await signFor(server, { sub: member.id, role: 'authenticated', session_id: named });
      expect(await getRights(server.client({ headers: { authorization: `Bearer ${token}` } }))).toEqual(NONE);
    }
  });
});
