import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallerContext } from '#backend/database/index.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import {
  anon,
  asOwner,
  attempt,
  createAccount,
  login,
  newKey,
  probe,
  getRows,
  type Account,
  type Outcome,
} from '#tests/support/callers.ts';
import { createContribution, createInterview, SAVE_CONTACT } from '#tests/support/factories.ts';

let server: TestServer;
let member: Account;
let nobody: Account;

beforeAll(async () => {
  server = await bootServer();
  member = await createAccount(server.databaseUrl, 'firma_a');
  nobody = await createAccount(server.databaseUrl);
});
afterAll(() => server.stop());

const READ = 'select id from interviews where id = $1';
const CHANGE = `update interviews set transcript = 'fremd' where id = $1`;
const UPLOAD = `insert into storage.objects (bucket_id, name) values ('Media', $1::bigint::text || '/3_late.png')`;
const CORRECT = `update interviews set transcript = 'besser' where id = $1`;
const OVERWRITE = `update storage.objects set version = 'neu'
  where name = $1::bigint::text || '/1700000000000_first.png'`;
const REGISTER = `insert into media_uploads (interview_id, file_path, file_type)
  values ($1::bigint, $1::bigint::text || '/3_late.png', 'image/png')`;
const TURN = `insert into interview_turns (interview_id, position, speaker, content) values ($1, 9, 'user', 'x')`;
const LIKE = `insert into feedback (interview_id, event_id, score) values ($1, 9, 'like')`;

const run = (caller: CallerContext, sql: string, params: readonly unknown[] = []): Promise<Outcome> =>
  attempt(server.backend.database, caller, sql, params);
const tryOut = (caller: CallerContext, sql: string, id: number): Promise<Outcome> =>
  probe(server.backend.database, caller, sql, [id]);
const owner = (sql: string, params: unknown[] = []) =>
  asOwner(server.databaseUrl, (client) => client.query(sql, params));

function withHeaders(headers: CallerContext['headers']): CallerContext {
  return { ...anon(), headers };
}

async function expectDead(caller: CallerContext, id: number): Promise<void> {
  for (const sql of [READ, CHANGE, OVERWRITE]) expect(await tryOut(caller, sql, id)).toMatchObject({ count: 0 });
  for (const sql of [UPLOAD, REGISTER, TURN, LIKE])
    expect(await tryOut(caller, sql, id)).toMatchObject({ code: '42501' });
}

async function expectAlive(caller: CallerContext, id: number): Promise<void> {
  for (const sql of [READ, CHANGE, OVERWRITE, UPLOAD, REGISTER, TURN, LIKE])
    expect(await tryOut(caller, sql, id)).toMatchObject({ kind: 'done', count: 1 });
}

describe('D9 the interview key', () => {
  test('opens the interview it was sent with, and RETURNING sees the binding made by the same statement', async () => {
    const outcome = await run(anon(newKey()), 'insert into interviews (created_at) values (now()) returning *');
    expect(outcome).toMatchObject({ kind: 'done', count: 1, rows: [{ user_id: null, user_email: null }] });
  });

  test('is stored as sha256 only', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    const stored = await owner('select * from private.interview_keys where interview_id = $1', [id]);
    expect(stored.rows).toHaveLength(1);
    expect(stored.rows[0]?.key_hash).toEqual(createHash('sha256').update(key).digest());
    const everything = await owner('select row_to_json(k)::text as line from private.interview_keys as k');
    expect(everything.rows.map((row) => row.line).join()).not.toContain(key);
  });

  test('threat 1: key B against the contribution of key A, every verb', async () => {
    const [keyA, keyB] = [newKey(), newKey()];
    const a = await createContribution(server.backend.database, anon(keyA));
    await createContribution(server.backend.database, anon(keyB));
    await expectAlive(anon(keyA), a);
    await expectDead(anon(keyB), a);
    await expectDead(anon(), a);
    await expectDead(login(member, keyB), a);
  });

  test('gives a login without a role what it gives without a login, and that login alone nothing', async () => {
    const key = newKey();
    const id = await createContribution(server.backend.database, login(nobody, key));
    await expectAlive(login(nobody, key), id);
    await expectAlive(anon(key), id);
    await expectDead(login(nobody), id);
    expect(await run(login(nobody), 'insert into interviews default values')).toMatchObject({ code: '42501' });
  });

  test('hands the contribution of a login over to the bearer of the link', async () => {
    const key = newKey();
    const id = await createContribution(server.backend.database, login(member, key));
    await expectAlive(anon(key), id);
    await expectAlive(login(member), id);
    const rows = await getRows(server.backend.database, anon(key), 'select user_id from interviews');
    expect(rows).toEqual([{ user_id: member.id }]);
  });

  test('ends 7 days after its creation', async () => {
    const key = newKey();
    const id = await createContribution(server.backend.database, anon(key));
    const rows = await owner(
      `select expires_at - created_at = '7 days' as right from private.interview_keys where interview_id = $1`,
      [id],
    );
    expect(rows.rows).toEqual([{ right: true }]);
    await owner(`update private.interview_keys set expires_at = now() where interview_id = $1`, [id]);
    await expectDead(anon(key), id);
    await expectDead(login(member, key), id);
  });

  test('ends 24 h after the contact details were saved for the first time, never later', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    const left = async (): Promise<number> => {
      const result = await owner(
        `select extract(epoch from expires_at - now())::float8 / 3600 as hours from private.interview_keys
          where interview_id = $1`,
        [id],
      );
      return Number(result.rows[0]?.hours);
    };
    expect(await left()).toBeGreaterThan(24 * 7 - 1);
    expect(await run(anon(key), SAVE_CONTACT, [id])).toMatchObject({ count: 1 });
    expect(await left()).toBeLessThanOrEqual(24);
    await owner(`update private.interview_keys set expires_at = now() + interval '2 hours' where interview_id = $1`, [
      id,
    ]);
    expect(
      await run(anon(key), `update interviews set contact_email = 'neu@beispiel.test' where id = $1`, [id]),
    ).toMatchObject({ count: 1 });
    expect(await left()).toBeLessThanOrEqual(2);
  });

  test('ends earlier also where the contact details came with the row', async () => {
    const key = newKey();
    await run(anon(key), `insert into interviews (contact_email) values ('ada@beispiel.test')`);
    const result = await owner(
      `select expires_at <= now() + interval '24 hours' as soon from private.interview_keys
        where key_hash = sha256($1)`,
      [Buffer.from(key)],
    );
    expect(result.rows).toEqual([{ soon: true }]);
  });

  test('writes files only until the contact details are saved; reading and correcting goes on; members go on', async () => {
    const key = newKey();
    const id = await createContribution(server.backend.database, login(member, key));
    await run(anon(key), `update interviews set completed_at = now(), transcript = 'fertig' where id = $1`, [id]);
    await expectAlive(anon(key), id);
    await run(login(member, key), SAVE_CONTACT, [id]);
    expect(await tryOut(anon(key), UPLOAD, id)).toMatchObject({ code: '42501' });
    expect(await tryOut(anon(key), OVERWRITE, id)).toMatchObject({ count: 0 });
    expect(await tryOut(anon(key), READ, id)).toMatchObject({ count: 1 });
    expect(await tryOut(anon(key), CORRECT, id)).toMatchObject({ count: 1 });
    expect(await getRows(server.backend.database, anon(key), 'select name from storage.objects')).toHaveLength(1);
    await expectAlive(login(member), id);
    await expectAlive(login(member, key), id);
  });

  test('starts many interviews, in one statement or several', async () => {
    const key = newKey();
    const many = await run(anon(key), 'insert into interviews (created_at) select now() from generate_series(1, 20)');
    expect(many).toMatchObject({ count: 20 });
    await createInterview(server.backend.database, anon(key));
    expect(await getRows(server.backend.database, anon(key), READ.replace('where id = $1', ''))).toHaveLength(21);
  });

  test.each<[string, CallerContext['headers']]>([
    ['no header', {}],
    ['an empty one', { 'x-interview-key': '' }],
    ['too short for 256 bits', { 'x-interview-key': 'a'.repeat(42) }],
    ['too long', { 'x-interview-key': 'a'.repeat(129) }],
    ['two keys joined', { 'x-interview-key': `${'a'.repeat(43)}, ${'b'.repeat(43)}` }],
    ['a list', { 'x-interview-key': ['a'.repeat(43), 'b'.repeat(43)] }],
    ['SQL', { 'x-interview-key': `' or true; drop table interviews; -- ${'a'.repeat(40)}` }],
    ['another header', { 'X-Interview-Key ': 'a'.repeat(43), cookie: `x-interview-key=${'a'.repeat(43)}` }],
  ])('forged headers: %s is no key', async (_name, headers) => {
    expect(await run(withHeaders(headers), 'insert into interviews default values')).toMatchObject({ code: '42501' });
    expect(await run(withHeaders(headers), 'select id from interviews')).toMatchObject({ count: 0 });
  });

  test('threat 1: the hash itself opens nothing', async () => {
    const key = newKey();
    const id = await createContribution(server.backend.database, anon(key));
    const hash = createHash('sha256').update(key).digest();
    for (const form of ['hex', 'base64url'] as const) await expectDead(anon(hash.toString(form)), id);
  });

  test.each(['interview_keys', 'settings'])('no request role reads private.%s', async (table) => {
    for (const caller of [anon(newKey()), login(member), login(nobody)]) {
      expect(await run(caller, `select * from private.${table}`)).toMatchObject({ code: '42501' });
      expect(await run(caller, `delete from private.${table}`)).toMatchObject({ code: '42501' });
    }
  });

  test('nobody binds a key to an interview that was not given out in the same transaction', async () => {
    const id = await createContribution(server.backend.database, login(member));
    const thief = anon(newKey());
    await run(thief, 'select private.bind_issued_interview()');
    await expectDead(thief, id);
  });
});

describe('D9 OPEN_CONTRIBUTIONS=false', () => {
  test('refuses contributions without login and link; links, logins and the way back stay', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    const insert = 'insert into interviews default values returning id';
    await owner(`select private.configure('open_contributions', 'false')`);
    try {
      expect(await run(anon(newKey()), insert)).toMatchObject({ code: '42501' });
      expect(await run(login(nobody, newKey()), insert)).toMatchObject({ code: '42501' });
      expect(await run(anon(key), insert)).toMatchObject({ count: 1 });
      expect(await run(login(member, newKey()), insert)).toMatchObject({ count: 1 });
      await owner(`update private.interview_keys set expires_at = now() where interview_id >= $1`, [id]);
      expect(await run(anon(key), insert)).toMatchObject({ code: '42501' });
    } finally {
      await owner(`select private.configure('open_contributions', 'true')`);
    }
    expect(await run(anon(newKey()), insert)).toMatchObject({ count: 1 });
  });

  test('a setting that does not exist or has the wrong type is refused, and only the owner sets any', async () => {
    await expect(owner(`select private.configure('open_contribution', 'false')`)).rejects.toThrow('no such setting');
    await expect(owner(`select private.configure('open_contributions', '"nein"')`)).rejects.toThrow('no such setting');
    const sql = `select private.configure('open_contributions', 'false')`;
    for (const caller of [anon(newKey()), login(member)])
      expect(await run(caller, sql)).toMatchObject({ code: '42501' });
  });
});
