import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { hashToken } from '#backend/auth/sessions/token-chain.ts';
import { StatementGroup } from '#backend/database/statement-group.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { asOwner } from '#tests/support/callers.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { enrolApp, enter, proveApp } from '#tests/support/second-factors.ts';
import { STATE_MS } from '#tests/support/time-limits.ts';

const MINUTE = 60_000;

let database: TestDatabase;
let server: AuthBackend;
beforeAll(async () => {
  database = await createDatabase('migrated');
  await waitPatiently(database.url);
  server = await bootAuthBackend({
    clock: 'frozen',
    databaseUrl: database.url,
    auth: (auth) => ({
      rate_limit: { ...auth.rate_limit, token_refresh: 100_000 },
      sessions: { ...auth.sessions, timebox: '24h', inactivity_timeout: '2h', allow_low_aal: '15m' },
    }),
  });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});
afterEach(() => vi.restoreAllMocks());

/**
 * The database gives a refresh more than its five seconds for a lock, because a busy machine needs them to see that it
 * waits. That the five seconds end is for auth-limits.test.ts.
 */
function waitPatiently(databaseUrl: string): Promise<unknown> {
  return asOwner(databaseUrl, (owner) =>
    owner.query(`create schema patient;
      create function patient.set_config(name text, value text, local boolean) returns text language sql
        return pg_catalog.set_config(name,
          case name when 'lock_timeout' then '${STATE_MS}' else value end, local);
      do $$ begin
        execute format('alter database %I set search_path = patient, pg_catalog, public', current_database());
      end $$`),
  );
}

type Session = Readonly<{ id: string; user: string; token: string }>;
type Answer = Readonly<{ status: number; code?: string; refresh_token?: string }>;

async function openSession(): Promise<Session> {
  const { id: user, session } = await enter(server);
  const [row] = await server.sql('select id from auth.sessions where user_id = $1', [user]);
  return { id: String(row?.['id']), user, token: session.refresh_token };
}

async function refresh(token: string): Promise<Answer> {
  const headers = { 'x-supabase-api-version': '2024-01-01' };
  const response = await server.call('POST', '/token?grant_type=refresh_token', { refresh_token: token }, headers);
  return { ...((await response.json()) as object), status: response.status };
}

/** Everything that a refresh may change. */
function readState({ id, user }: Session): Promise<pg.QueryResultRow[]> {
  return server.sql(
    `select to_jsonb(s) as session,
        (select jsonb_agg(t order by t.id) from auth.refresh_tokens as t where session_id = s.id) as tokens,
        (select count(*) from auth.audit_log_entries where payload ->> 'actor_id' = $2) as events
      from auth.sessions as s where id = $1`,
    [id, user],
  );
}

describe('decision 0347', () => {
  test('A refresh waits for the database once', async () => {
    const { token } = await openSession();
    const query = vi.spyOn(pg.Client.prototype, 'query');
    expect((await refresh(token)).status).toBe(200);
    const sent = query.mock.calls
      .flatMap(([group]: readonly unknown[]) =>
        group instanceof StatementGroup ? [group.entries.map((entry) => entry.statement.text)] : [],
      )
      .filter((texts) => texts.some((text) => text.includes('auth.refresh_tokens')));
    expect(sent.map((texts) => texts.at(-1))).toEqual(['commit']);
  });

  test('The active token of a session is found by its index', async () => {
    const client = new pg.Client({ connectionString: server.backend.databaseUrl });
    await client.connect();
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query<Record<string, string>>(
      'explain select from auth.refresh_tokens where session_id = gen_random_uuid() and not revoked',
    );
    await client.end();
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Cond: .*\(revoked = false\)/);
  });
});

const ban =
  (ms: number) =>
  ({ user }: Session) =>
    server.sql('update auth.users set banned_until = $2 where id = $1', [user, new Date(server.now() + ms)]);
const end =
  (ms: number) =>
  ({ id }: Session) =>
    server.sql('update auth.sessions set not_after = $2 where id = $1', [id, new Date(server.now() + ms)]);
const useLast =
  (ms: number) =>
  ({ id }: Session) =>
    server.sql('update auth.sessions set refreshed_at = $2 where id = $1', [id, new Date(server.now() - ms)]);
/** With its second factor, whose lack would be another reason to refuse it. */
const begin =
  (ms: number) =>
  ({ id }: Session) =>
    server.sql(`update auth.sessions set created_at = $2, aal = 'aal2' where id = $1`, [
      id,
      new Date(server.now() - ms),
    ]);
/** The session began before, has been used since, and its user has a factor that it has not shown. */
const lackFactor =
  (ms: number) =>
  async (session: Session): Promise<void> => {
    await server.sql('update auth.sessions set created_at = $2 where id = $1', [
      session.id,
      new Date(server.now() - ms),
    ]);
    await server.sql(
      `insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
      values (gen_random_uuid(), $1, 'App', 'totp', 'verified', now(), now(), 'secret')`,
      [session.user],
    );
  };

describe('contract §1.5 limits to the millisecond', () => {
  test.each([
    ['a banned account', 'user_banned', ban(1), ban(0)],
    ['the end of the session', 'session_expired', end(-1), end(0)],
    ['the time-box', 'session_expired', begin(1_440 * MINUTE + 1), begin(1_440 * MINUTE)],
    ['inactivity', 'session_expired', useLast(120 * MINUTE + 1), useLast(120 * MINUTE)],
    ['a missing second factor', 'session_expired', lackFactor(15 * MINUTE + 1), lackFactor(15 * MINUTE)],
  ])('%s refuses a refresh and leaves everything as it was', async (_name, code, exceed, reach) => {
    const [refused, accepted] = [await openSession(), await openSession()];
    await useLast(0)(refused);
    await useLast(0)(accepted);
    await exceed(refused);
    await reach(accepted);
    const before = await readState(refused);
    expect(await refresh(refused.token)).toMatchObject({ status: 400, code });
    expect(await refresh(refused.token)).toMatchObject({ status: 400, code });
    expect(await readState(refused)).toEqual(before);
    expect((await refresh(accepted.token)).status).toBe(200);
  });

  test('A user without a factor, or with one that was shown, goes on after that', async () => {
    const without = await openSession();
    const { client, ...person } = await enter(server);
    await proveApp(server, { client }, await enrolApp({ client }));
    await server.sql('update auth.sessions set created_at = $1 where user_id = any($2)', [
      new Date(server.now() - 16 * MINUTE),
      [without.user, person.id],
    ]);
    expect((await refresh(without.token)).status).toBe(200);
    expect((await client.auth.refreshSession()).error).toBeNull();
  });
});

describe('contract §1.5 a refresh that waited for the session', () => {
  const held: pg.Client[] = [];
  afterEach(async () => void (await Promise.all(held.splice(0).map((client) => client.end()))));

  /** Refreshes while the session is locked, and gives it free after `change`. */
  async function refreshBehind({ id, token }: Session, change: string, params: unknown[]): Promise<Answer> {
    const holder = new pg.Client({ connectionString: server.backend.databaseUrl });
    held.push(holder);
    await holder.connect();
    await holder.query('begin');
    const { rows } = await holder.query<{ pid: number }>(
      'select pg_backend_pid() as pid from auth.sessions where id = $1 for update',
      [id],
    );
    const answer = refresh(token);
    const waiting = 'select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))';
    await vi.waitFor(async () => expect((await holder.query(waiting, [rows[0]?.pid])).rows).toHaveLength(1));
    await holder.query(change, params);
    await holder.query('commit');
    return answer;
  }

  test('finds that it was ended', async () => {
    const session = await openSession();
    const answer = await refreshBehind(session, 'delete from auth.sessions where id = $1', [session.id]);
    expect(answer).toMatchObject({ status: 400, code: 'refresh_token_not_found' });
  });

  test('finds that the account was banned', async () => {
    const session = await openSession();
    const sql = 'update auth.users set banned_until = $2 where id = $1';
    const answer = await refreshBehind(session, sql, [session.user, new Date(server.now() + MINUTE)]);
    expect(answer).toMatchObject({ status: 400, code: 'user_banned' });
  });

  test('finds that it has another token, as after a second factor, and makes none', async () => {
    const session = await openSession();
    const other = hashToken('abcdefghijkl');
    const upgrade = `with revoked as (
        update auth.refresh_tokens set revoked = true, updated_at = $2 where session_id = $1 returning user_id
      ) insert into auth.refresh_tokens (token, user_id, session_id, created_at, updated_at)
        select $3, user_id, $1, $2, $2 from revoked`;
    const answer = await refreshBehind(session, upgrade, [session.id, new Date(server.now()), other]);
    expect(answer).toMatchObject({ status: 400, code: 'refresh_token_already_used' });
    const active = 'select token from auth.refresh_tokens where session_id = $1 and not revoked';
    expect(await server.sql(active, [session.id])).toEqual([{ token: other }]);
  });
});
