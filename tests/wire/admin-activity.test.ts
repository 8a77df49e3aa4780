import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import {
  anon,
  asOwner,
  attempt,
  createAccount,
  createAccounts,
  login,
  newKey,
  service,
  type Account,
} from '#tests/support/callers.ts';
import type { Role } from '#contract/roles.ts';

let server: TestServer;
let accounts: Readonly<Record<Role, Account>>;

type Row = Readonly<{ week: string; kind: string; total: string }>;

const CALL = `select week::text, kind, total from admin_activity($1)`;
const KINDS = ['interview', 'voice_message', 'video', 'image', 'document', 'contributor', 'file'];

/** Local noon of a day in the week that lies so many weeks back. */
const IN_WEEK = `((date_trunc('week', now() at time zone 'Europe/Berlin') - make_interval(weeks => $1::int) + interval '36 hours') at time zone 'Europe/Berlin')`;

beforeAll(async () => {
  server = await bootServer();
  accounts = await createAccounts(server.databaseUrl);
});
afterAll(() => server.stop());

/** What an admin sees of what `arrange` makes. One transaction, so that no week begins in between. */
async function activity(weeks: number, arrange = contribute): Promise<readonly Row[]> {
  return asOwner(server.databaseUrl, async (client) => {
    await client.query('begin');
    await arrange(client);
    await client.query(`select set_config('request.jwt.claims', $1, true)`, [
      JSON.stringify({ role: 'authenticated', sub: accounts.admin.id }),
    ]);
    await client.query('set local role authenticated');
    const { rows } = await client.query<Row>(CALL, [weeks]);
    await client.query('rollback');
    return rows;
  });
}

async function contribute(client: pg.ClientBase): Promise<void> {
  const add = async (weeksBack: number, ...types: string[]): Promise<void> => {
    const made = await client.query(
      `insert into interviews (created_at) values (${IN_WEEK}) returning id, created_at`,
      [weeksBack],
    );
    for (const [index, type] of types.entries()) {
      await client.query(
        `insert into media_uploads (interview_id, created_at, file_path, file_type)
          values ($1::bigint, $2, $1 || '/' || $3, $4)`,
        [made.rows[0].id, made.rows[0].created_at, index, type],
      );
    }
  };
  await add(0, 'audio/webm;codecs=opus', 'VIDEO/mp4', 'image/heic');
  await add(0, 'application/pdf', 'text/plain', 'text/plain', '');
  await add(11, 'audio/mpeg');
  await add(12, 'audio/mpeg');
}

function counts(rows: readonly Row[], place: number): Record<string, number> {
  const week = rows.slice(place * KINDS.length, (place + 1) * KINDS.length);
  return Object.fromEntries(week.map(({ kind, total }) => [kind, Number(total)]));
}

describe('§2.12 admin_activity', () => {
  test('tells every kind of every week, the oldest week first', async () => {
    const rows = await activity(12);
    expect(rows.map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => KINDS).flat());
    const weeks = [...new Set(rows.map(({ week }) => week))];
    expect(weeks).toHaveLength(12);
    expect(weeks.toSorted()).toEqual(weeks);
    expect(weeks.every((week) => new Date(`${week}T12:00:00Z`).getUTCDay() === 1)).toBe(true);
  });

  test('counts contributions by the kind that the desk shows, and files (U14, D2)', async () => {
    expect(counts(await activity(12), 11)).toEqual({
      interview: 0,
      voice_message: 1,
      video: 0,
      image: 0,
      document: 1,
      contributor: 0,
      file: 7,
    });
  });

  test('has the week at the edge, and nothing from before it', async () => {
    const rows = await activity(12);
    expect(counts(rows, 0)).toMatchObject({ voice_message: 1, file: 1 });
    expect(rows.reduce((sum, { total }) => sum + Number(total), 0)).toBe(11);
    expect(counts(await activity(13), 0)).toMatchObject({ voice_message: 1, file: 1 });
  });

  test('a week begins on Monday, 0:00 in Germany', async () => {
    const edge = await activity(2, async (client) => {
      await client.query(`insert into interviews (created_at) values
        (date_trunc('week', now() at time zone 'Europe/Berlin') at time zone 'Europe/Berlin'),
        (date_trunc('week', now() at time zone 'Europe/Berlin') at time zone 'Europe/Berlin' - interval '1 ms')`);
    });
    expect([counts(edge, 0)['contributor'], counts(edge, 1)['contributor']]).toEqual([1, 1]);
  });

  test('refuses a span that no chart can show', async () => {
    for (const weeks of [0, -1, 105, null])
      expect(await attempt(server.backend.database, login(accounts.admin), CALL, [weeks])).toMatchObject({
        kind: 'refused',
        code: '22023',
      });
  });

  test('threat 4: only an admin may call it, and the service', async () => {
    const { database } = server.backend;
    const refused = { kind: 'refused', code: '42501', message: 'permission denied for function admin_activity' };
    const others = (['firma_a', 'firma_b', 'testnormec', 'vdi_admin'] as const).map((role) => login(accounts[role]));
    for (const caller of [anon(), anon(newKey()), login(await createAccount(server.databaseUrl)), ...others])
      expect(await attempt(database, caller, CALL, [12])).toEqual(refused);
    expect(await attempt(database, service(), CALL, [12])).toMatchObject({ count: 84 });
  });
});
