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
  getRows,
  type Account,
  type Outcome,
} from '#tests/support/callers.ts';
import { CONTACT, createInterview, SAVE_CONTACT } from '#tests/support/factories.ts';

let server: TestServer;
let member: Account;
let stranger: Account;

beforeAll(async () => {
  server = await bootServer();
  member = await createAccount(server.databaseUrl, 'firma_a');
  stranger = await createAccount(server.databaseUrl, 'firma_b');
});
afterAll(() => server.stop());

/** §7: '… if it fails, insert a row with the id and the same fields'. */
const INSERT_WITH_ID = `insert into interviews (id, contact_first_name, contact_last_name, contact_email, completed_at)
  values ($1, '${CONTACT.contact_first_name}', '${CONTACT.contact_last_name}', '${CONTACT.contact_email}', now())`;
const RETURNED = `${INSERT_WITH_ID} returning *`;

const run = (caller: CallerContext, sql: string, params: readonly unknown[]): Promise<Outcome> =>
  attempt(server.backend.database, caller, sql, params);
const stored = async (id: number) =>
  (await asOwner(server.databaseUrl, (client) => client.query('select * from interviews where id = $1', [id]))).rows[0];

describe('D10 insert with an explicit id', () => {
  test.each(['anon + key', 'member'])('threat 2: %s gets the same answer whether the id exists or not', async (who) => {
    const caller = who === 'member' ? login(stranger) : anon(newKey());
    const existing = await createInterview(server.backend.database, login(member));
    await createInterview(server.backend.database, caller);
    const free = existing + 5_000;
    expect(await run(caller, SAVE_CONTACT, [existing])).toMatchObject({ count: 0 });
    const one = await run(caller, INSERT_WITH_ID, [existing]);
    expect(one).toMatchObject({ kind: 'refused', code: '42501' });
    for (const id of [existing, free, 0, -1, '9223372036854775807'])
      for (const sql of [INSERT_WITH_ID, RETURNED]) expect(await run(caller, sql, [id])).toEqual(one);
    expect(await stored(existing)).toMatchObject({ contact_email: null, user_id: member.id });
    expect(await stored(free)).toBeUndefined();
  });

  test('threat 2: attempts on coming ids leave the next 1,000 inserts alone', async () => {
    const key = newKey();
    const last = await createInterview(server.backend.database, anon(key));
    for (let ahead = 1; ahead <= 1_000; ahead += 37) await run(anon(key), INSERT_WITH_ID, [last + ahead]);
    const ids = new Set<number>();
    await server.backend.database.asCaller(anon(key), async (tx) => {
      for (let count = 0; count < 1_000; count += 1) {
        const result = await tx.query('insert into interviews (created_at) values (now()) returning id');
        ids.add(Number(result.rows[0]?.['id']));
      }
    });
    expect(ids.size).toBe(1_000);
  });

  test('an id given out to another transaction, even on the same connection, is not free to take', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, login(member));
    // The pool hands the most recent connection out again.
    expect(await run(anon(key), INSERT_WITH_ID, [id])).toMatchObject({ code: '42501' });
  });

  test.each(['key', 'member'])(
    'where the row is there and the caller may work on it (%s), the fields are merged',
    async (who) => {
      const caller = who === 'key' ? anon(newKey()) : login(member);
      const id = await createInterview(server.backend.database, caller);
      await run(caller, `update interviews set transcript = 'bleibt' where id = $1`, [id]);
      expect(await run(caller, INSERT_WITH_ID, [id])).toMatchObject({ kind: 'done' });
      expect(await stored(id)).toMatchObject({ ...CONTACT, transcript: 'bleibt' });
    },
  );

  test('where the row is gone but still bound, it is made again under the same id', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
    expect(await run(anon(key), SAVE_CONTACT, [id])).toMatchObject({ count: 0 });
    expect(await run(anon(key), RETURNED, [id])).toMatchObject({
      count: 1,
      rows: [{ id: String(id), ...CONTACT }],
    });
    await createInterview(server.backend.database, anon(key));
  });

  test('an expired key counts as none', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    await asOwner(server.databaseUrl, (client) =>
      client.query('update private.interview_keys set expires_at = now() where interview_id = $1', [id]),
    );
    expect(await run(anon(key), INSERT_WITH_ID, [id])).toMatchObject({ code: '42501' });
    await asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
    expect(await run(anon(key), INSERT_WITH_ID, [id])).toMatchObject({ code: '42501' });
  });

  test('the same submit ten times in parallel makes one row', async () => {
    const key = newKey();
    const id = await createInterview(server.backend.database, anon(key));
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => run(anon(key), INSERT_WITH_ID, [id])));
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(Array.from({ length: 10 }, () => 'done'));
    expect(await getRows(server.backend.database, anon(key), 'select id from interviews')).toHaveLength(1);
  });

  test('children and files of an id that does not exist get the answer of one that is foreign', async () => {
    const caller = anon(newKey());
    const existing = await createInterview(server.backend.database, login(member));
    const statements = [
      `insert into media_uploads (interview_id, file_path, file_type)
        values ($1::bigint, $1::bigint::text || '/a.png', 'image/png')`,
      `insert into interview_turns (interview_id, position, speaker, content) values ($1, 0, 'user', 'x')`,
      `insert into feedback (interview_id, event_id, score) values ($1, 0, 'like')`,
      `insert into storage.objects (bucket_id, name) values ('Media', $1::bigint::text || '/a.png')`,
    ];
    for (const sql of statements) {
      const [one, other] = [await run(caller, sql, [existing]), await run(caller, sql, [existing + 5_000])];
      expect(one).toMatchObject({ code: '42501' });
      expect(other).toEqual(one);
    }
  });
});
