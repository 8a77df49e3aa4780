import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashToken } from '#backend/auth/sessions/token-chain.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { loseNextCommit } from '#tests/support/lost-commit.ts';
import { addPerson, type Person } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend({
    clock: 'frozen',
    auth: (auth) => ({ rate_limit: { ...auth.rate_limit, token_refresh: 100_000 } }),
  });
});
afterAll(() => server.stop());

type Answer = { status: number; access_token: string; refresh_token: string; code: string; message: string };

async function refresh(token: unknown, on: AuthBackend = server): Promise<Answer> {
  const headers = { 'x-supabase-api-version': '2024-01-01', 'user-agent': 'test agent' };
  const response = await on.call('POST', '/token?grant_type=refresh_token', { refresh_token: token }, headers);
  return { ...((await response.json()) as Answer), status: response.status };
}

async function enter(
  person?: Person,
  on: AuthBackend = server,
): Promise<{ token: string; id: string; session: string }> {
  const { email, password, id } = person ?? (await addPerson(on));
  const { data } = await on.client().auth.signInWithPassword({ email, password });
  const session = String(decodeJwt(data.session?.access_token ?? '')['session_id']);
  return { token: data.session?.refresh_token ?? '', id, session };
}

const USED = { status: 400, code: 'refresh_token_already_used', message: 'Invalid Refresh Token: Already Used' };

describe('contract §1.5 rotation', () => {
  test('supabase-js refreshes: another token, the same session, a working access token', async () => {
    const { email, password } = await addPerson(server);
    const client = server.client();
    const before = (await client.auth.signInWithPassword({ email, password })).data.session;
    const after = (await client.auth.refreshSession()).data.session;
    expect(after?.refresh_token).not.toBe(before?.refresh_token);
    const [old, fresh] = [decodeJwt(before?.access_token ?? ''), decodeJwt(after?.access_token ?? '')];
    expect([fresh['session_id'], fresh['amr']]).toEqual([old['session_id'], old['amr']]);
    expect((await client.auth.getUser()).data.user?.email).toBe(email);
  });

  test('notes when and from where a session is used', async () => {
    const { token, session } = await enter();
    await refresh(token);
    const [row] = await server.sql('select refreshed_at, user_agent, host(ip) as ip from auth.sessions where id = $1', [
      session,
    ]);
    expect(row).toMatchObject({ refreshed_at: expect.any(Date), user_agent: 'test agent', ip: '127.0.0.1' });
  });

  test('only hashes are stored', async () => {
    const { token } = await enter();
    const next = await refresh(token);
    const rows = JSON.stringify(await server.sql('select token, parent from auth.refresh_tokens'));
    expect(rows).not.toContain(token);
    expect(rows).not.toContain(next.refresh_token);
  });

  test('Answers a refresh whose commit lost its answer with the token that it stored', async () => {
    const { token, session } = await enter();
    const ended = loseNextCommit(/insert into auth\.refresh_tokens/);
    const answer = await refresh(token).finally(() => expect(ended()).toBe(true));
    expect(answer.status).toBe(200);
    const stored = await server.sql('select token from auth.refresh_tokens where session_id = $1 and not revoked', [
      session,
    ]);
    expect(stored).toEqual([{ token: hashToken(answer.refresh_token) }]);
    expect((await refresh(answer.refresh_token)).status).toBe(200);
  });

  test('threat 14 twenty refreshes at once end in one session and one active token', async () => {
    const { token, session, id } = await enter();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(token)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.refresh_token)).size).toBe(1);
    expect(new Set(answers.map((answer) => decodeJwt(answer.access_token)['session_id']))).toEqual(new Set([session]));
    const [row] = await server.sql(
      `select (select count(*)::int from auth.sessions where user_id = $1) as sessions,
              (select count(*)::int from auth.refresh_tokens where session_id = $2 and not revoked) as active`,
      [id, session],
    );
    expect(row).toEqual({ sessions: 1, active: 1 });
  });
});

describe('contract §1.5 reuse', () => {
  test('the parent of the active token gets the active token again, however late', async () => {
    const { token } = await enter();
    const first = await refresh(token);
    server.advance(3_600_000);
    const again = await refresh(token);
    expect([again.status, again.refresh_token]).toEqual([200, first.refresh_token]);
  });

  test('an older token gets the active one within 10 s', async () => {
    const { token } = await enter();
    const second = await refresh((await refresh(token)).refresh_token);
    server.advance(9_000);
    const again = await refresh(token);
    expect([again.status, again.refresh_token]).toEqual([200, second.refresh_token]);
  });

  test('threat 14 an older token replayed after 11 s kills the whole family', async () => {
    const { token, session } = await enter();
    const first = await refresh(token);
    const second = await refresh(first.refresh_token);
    server.advance(11_000);
    expect(await refresh(token)).toMatchObject(USED);
    expect(await refresh(second.refresh_token)).toMatchObject(USED);
    expect(await refresh(first.refresh_token)).toMatchObject(USED);
    const rows = await server.sql('select token from auth.refresh_tokens where session_id = $1 and not revoked', [
      session,
    ]);
    expect(rows).toEqual([]);
  });

  test('without rotation a replay is refused, and the family lives on', async () => {
    const lenient = await bootAuthBackend({ clock: 'frozen', auth: () => ({ enable_refresh_token_rotation: false }) });
    const { token } = await enter(undefined, lenient);
    const second = await refresh((await refresh(token, lenient)).refresh_token, lenient);
    lenient.advance(11_000);
    expect(await refresh(token, lenient)).toMatchObject(USED);
    expect((await refresh(second.refresh_token, lenient)).status).toBe(200);
    await lenient.stop();
  });
});

describe('contract §1.5 refusals', () => {
  test.each(['', 'kurz', 'abc', 'GROSSBUCHSTA', 'abcdefghijkl-', 'abcdefghijklm', 'a\u0000cdefghijkl'])(
    '%j is no refresh token',
    async (token) => {
      const answer = await refresh(token);
      expect([answer.status, answer.code]).toEqual([400, token.includes('\0') ? 'bad_json' : 'validation_failed']);
    },
  );

  test('an unknown token', async () => {
    expect(await refresh('abcdefghijkl')).toMatchObject({
      status: 400,
      code: 'refresh_token_not_found',
      message: 'Invalid Refresh Token: Refresh Token Not Found',
    });
  });

  test('a token of a session that was ended', async () => {
    const { token, session } = await enter();
    await server.sql('delete from auth.sessions where id = $1', [session]);
    expect((await refresh(token)).code).toBe('refresh_token_not_found');
  });

  test('a banned user', async () => {
    const person = await addPerson(server);
    const { token } = await enter(person);
    await server.service().auth.admin.updateUserById(person.id, { ban_duration: '1h' });
    expect(await refresh(token)).toMatchObject({ status: 400, code: 'user_banned' });
  });

  test('time-box and inactivity end a session', async () => {
    const limited = await bootAuthBackend({
      clock: 'frozen',
      auth: (auth) => ({ sessions: { ...auth.sessions, timebox: '24h', inactivity_timeout: '8h' } }),
    });
    const idle = await enter(undefined, limited);
    let { token } = await enter(undefined, limited);
    limited.advance(7 * 3_600_000);
    token = (await refresh(token, limited)).refresh_token;
    limited.advance(7 * 3_600_000);
    token = (await refresh(token, limited)).refresh_token;
    expect(token).toMatch(/^[a-z0-9]{12}$/);
    expect(await refresh(idle.token, limited)).toMatchObject({
      status: 400,
      code: 'session_expired',
      message: 'Invalid Refresh Token: Session Expired (Inactivity)',
    });
    limited.advance(7 * 3_600_000);
    token = (await refresh(token, limited)).refresh_token;
    limited.advance(4 * 3_600_000);
    expect(await refresh(token, limited)).toMatchObject({
      code: 'session_expired',
      message: 'Invalid Refresh Token: Session Expired',
    });
    await limited.stop();
  });
});
