import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OwnSessionsSchema, type OwnSession } from '#contract/accounts.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { addPerson, type Person } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => void (server = await bootAuthBackend()));
afterAll(() => server.stop());

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X)';
const DESK = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';

async function enter({ email, password }: Person, userAgent: string, address: string): Promise<SupabaseClient> {
  const client = server.client({ 'user-agent': userAgent, 'x-forwarded-for': address });
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error !== null) throw error;
  return client;
}

async function getSessions(client: SupabaseClient): Promise<readonly OwnSession[]> {
  const { data, error } = await client.rpc('my_sessions');
  if (error !== null) throw error;
  return OwnSessionsSchema.parse(data);
}

const end = async (client: SupabaseClient, session: string | undefined): Promise<unknown> =>
  (await client.rpc('end_session', { session })).data;

describe('Sessions and devices (decision 0060)', () => {
  test('each own session with device, address and last use; the present one is marked; nobody else’s', async () => {
    const [person, stranger] = [await addPerson(server), await addPerson(server)];
    const phone = await enter(person, PHONE, '198.51.100.7');
    const desk = await enter(person, DESK, '203.0.113.9');
    await enter(stranger, DESK, '203.0.113.9');
    const seen = await getSessions(phone);
    expect(seen.map(({ user_agent, address, aal, is_current }) => [user_agent, address, aal, is_current])).toEqual([
      [DESK, '203.0.113.9', 'aal1', false],
      [PHONE, '198.51.100.7', 'aal1', true],
    ]);
    server.advance(60_000);
    await phone.auth.refreshSession();
    const [first, second] = await getSessions(desk);
    expect([first?.user_agent, second?.is_current]).toEqual([PHONE, true]);
    expect(Date.parse(first?.last_used_at ?? '') - Date.parse(first?.created_at ?? '')).toBeGreaterThanOrEqual(60_000);
  });

  test('ending one: it cannot refresh and its token opens nothing of /auth, the others stay; the log knows of it', async () => {
    const person = await addPerson(server);
    const [phone, desk] = [await enter(person, PHONE, '::1'), await enter(person, DESK, '::1')];
    const lost = (await getSessions(desk)).find(({ is_current }) => !is_current);
    expect(await end(desk, lost?.id)).toBe(true);
    expect((await phone.auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
    expect((await desk.auth.getUser()).error).toBeNull();
    expect(await getSessions(desk)).toHaveLength(1);
    const log = await server.sql(
      `select payload ->> 'action' as action from auth.audit_log_entries where payload ->> 'actor_id' = $1`,
      [person.id],
    );
    expect(log).toContainEqual({ action: 'logout' });
  });

  test('all others: by the official client', async () => {
    const person = await addPerson(server);
    const [phone, desk] = [await enter(person, PHONE, '::1'), await enter(person, DESK, '::1')];
    await desk.auth.signOut({ scope: 'others' });
    expect(await getSessions(desk)).toHaveLength(1);
    expect((await phone.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  });

  test('somebody else’s session and none at all: the same answer, and it lives on', async () => {
    const [mine, theirs] = [await addPerson(server), await addPerson(server)];
    const [me, they] = [await enter(mine, DESK, '::1'), await enter(theirs, DESK, '::1')];
    const [session] = await getSessions(they);
    expect([await end(me, session?.id), await end(me, crypto.randomUUID())]).toEqual([false, false]);
    expect((await they.auth.getUser()).error).toBeNull();
  });

  test('a token whose session has ended shows and ends nothing, though it has not run out', async () => {
    const person = await addPerson(server);
    const [lost, kept] = [await enter(person, PHONE, '::1'), await enter(person, DESK, '::1')];
    const [first, second] = await getSessions(lost);
    const mine = first?.is_current === true ? first : second;
    expect(await end(kept, mine?.id)).toBe(true);
    expect(await getSessions(lost)).toEqual([]);
    expect(await end(lost, (await getSessions(kept))[0]?.id)).toBe(false);
  });

  test('without a login, and with what is no id: refused, never a 5xx', async () => {
    const anonymous = await server.client().rpc('my_sessions');
    expect([anonymous.status, anonymous.error?.code]).toEqual([401, '42501']);
    const me = await enter(await addPerson(server), DESK, '::1');
    expect((await me.rpc('end_session', { session: 'keine' })).error?.code).toBe('22P02');
    expect(await getSessions(server.service())).toEqual([]);
  });
});
