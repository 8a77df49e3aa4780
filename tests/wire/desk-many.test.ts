import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DESK_SORTS, DESK_STATES, type DeskQuery } from '#contract/desk.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { contribute, idsIn, inbox } from '#tests/support/desk.ts';
import { repetitions } from '#tests/support/thorough.ts';

/**
 * So many that each state in use has more than the 10,000 to which a search counts. Only the answers are tested here;
 * the bench measures how fast they come.
 */
const MANY = repetitions(44_000, 100_000);
let server: TestServer;
let ada: TestUser;

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  await asOwner(server.databaseUrl, async (client) => {
    // Every thousandth speaks of iridium, all of brass, the older three quarters of tin, a fifth of sheets of zinc; ten
    // share each moment. Written as the triggers would have, which took a minute.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into interviews (id, transcript, created_at, contact_email)
       select n, concat(case when n % 1000 = 0 then 'Iridium und ' end, 'Messing', case n % 4 when 0
         then ' rotes Kupfer' when 1 then ' Kupfer, rotes' end, case when n < $1 * 3 / 4
         then ' Zinn' end, case when n % 5 = 0 then ' Zinkblech' end),
         '2026-01-01Z'::timestamptz + make_interval(secs => n / 10),
         case when n % 2 = 0 then 'p@beispiel.test' end
       from generate_series(1, $1::int) as n`,
      [MANY],
    );
    await client.query(`select setval('interviews_id_seq', $1)`, [MANY]);
    await client.query(
      `insert into private.desk_items (interview_id, area, kind, contributor, created_at, changed_at, finished, files,
        state)
       select id, 'area-' || id % 20, 'interview', case when id % 2 = 0 then 'Person ' || id % 777 else '' end,
         created_at, created_at + make_interval(secs => id % 50), id % 2 = 0, 0, (array['new', 'new', 'in_progress',
           'published'])[1 + id % 4]
       from interviews`,
    );
    await client.query(
      `insert into private.desk_search (interview_id, area, kind, finished, state, created_at, words)
       select i.id, d.area, d.kind, d.finished, d.state, d.created_at, private.desk_words(i.transcript)
       from interviews as i join private.desk_items as d on d.interview_id = i.id`,
    );
    await client.query('analyze private.desk_items, private.desk_search');
  });
});
afterAll(() => server.stop());

/** Page after page to the end, `between` each two. */
async function walk(query: DeskQuery, between: () => Promise<unknown> = async () => undefined): Promise<number[]> {
  const found: number[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page = await inbox(ada.client, { ...query, after });
    found.push(...page.items.map(({ id }) => id));
    after = page.next;
    await between();
  }
  return found;
}

async function expected(where: string, order: string): Promise<number[]> {
  const rows = await asOwner(server.databaseUrl, (client) =>
    client.query(
      `select d.interview_id as id from private.desk_items as d join interviews as i on i.id = d.interview_id
        where ${where} order by ${order}`,
    ),
  );
  return rows.rows.map(({ id }) => Number(id));
}

async function counted(where: string): Promise<Record<string, number>> {
  const { rows } = await asOwner(server.databaseUrl, (client) =>
    client.query(
      `select state, count(*)::int as n from private.desk_items as d join interviews as i on i.id = d.interview_id
        where ${where} group by 1`,
    ),
  );
  const found = new Map(rows.map(({ state, n }) => [state, n]));
  return Object.fromEntries(DESK_STATES.map((state) => [state, Math.min(10_000, found.get(state) ?? 0)]));
}

const ORDERS = {
  newest: 'd.created_at desc, d.interview_id desc',
  oldest: 'd.created_at, d.interview_id',
  changed: 'd.changed_at desc, d.interview_id desc',
  contributor: `(d.contributor = ''), d.contributor collate "de-x-icu", d.interview_id`,
} as const;

describe('desk: tens of thousands of contributions', () => {
  test('Counts each state and each filter', async () => {
    const none = Object.fromEntries(DESK_STATES.map((state) => [state, 0]));
    expect((await inbox(ada.client)).counts).toEqual({
      ...none,
      new: MANY / 2,
      in_progress: MANY / 4,
      published: MANY / 4,
    });
    const { counts } = await inbox(ada.client, { areas: ['area-4'], finished: true });
    const rows = await asOwner(server.databaseUrl, (client) =>
      client.query(
        `select state, count(*)::int as n from private.desk_items where area = 'area-4' and finished group by 1`,
      ),
    );
    expect(counts).toEqual({ ...none, ...Object.fromEntries(rows.rows.map(({ state, n }) => [state, n])) });
  });

  test('Stops counting a search at 10,000 a state and still finds more', async () => {
    const page = await inbox(ada.client, { search: 'Messing', sort: 'oldest' });
    expect(page.counts).toMatchObject({ new: 10_000, in_progress: 10_000, published: 10_000, rejected: 0 });
    expect(page.items.map(({ id }) => id)).toEqual((await expected('true', ORDERS.oldest)).slice(0, 50));
    expect((await inbox(ada.client, { search: 'Iridium' })).counts).toEqual(
      (await inbox(ada.client, { search: 'Iridium -Zink' })).counts,
    );
    expect(await walk({ search: 'Iridium', limit: 30 })).toEqual(
      await expected(`i.transcript ~ 'Iridium'`, ORDERS.newest),
    );
    expect(await idsIn(ada.client, { search: '-Messing' })).toEqual([]);
  });

  /**
   * With those in which it stands as PostgreSQL's own expressions see it. The words of the last are nowhere among the
   * newest.
   */
  test.each([
    ['newest', 'Zinn', `i.transcript ~ 'Zinn'`, 'counted'],
    ['oldest', '-Zinn', `i.transcript !~ 'Zinn'`, 'counted'],
    ['changed', '-Iridium', `i.transcript !~ 'Iridium'`, 'counted'],
    ['contributor', '-Iridium -Zinn', `i.transcript !~ 'Iridium' and i.transcript !~ 'Zinn'`, 'counted'],
    ['contributor', '"rotes Kupfer"', `i.transcript ~ 'rotes Kupfer'`, 'not counted'],
    ['newest', '-"rotes Kupfer"', `i.transcript !~ 'rotes Kupfer'`, 'not counted'],
    ['changed', '"rotes Kupfer" or Iridium', `i.transcript ~ 'rotes Kupfer|Iridium'`, 'not counted'],
    ['oldest', 'Messing -"rotes Kupfer"', `i.transcript !~ 'rotes Kupfer'`, 'not counted'],
    ['newest', '"Messing Iridium"', 'false', 'counted'],
    // None has the word itself, and more have a compound of it than are read at once.
    ['changed', 'Blech', `i.transcript ~ 'blech'`, 'counted'],
    ['oldest', 'Zinkb Kupfer', `i.transcript ~ 'Kupfer' and i.transcript ~ 'Zinkb'`, 'counted'],
    ['newest', '"Kupfer Zinn"', `i.transcript ~ 'Kupfer Zinn'`, 'not counted'],
    ['changed', '"Iridium und Messing"', `i.transcript ~ 'Iridium und Messing'`, 'counted'],
    ['oldest', '"Messing rotes Kupfer Zinn"', `i.transcript ~ 'Messing rotes Kupfer Zinn'`, 'not counted'],
  ] as const)(
    'by %s, %s: the first pages, some with filters, and the counts',
    async (sort, search, where, counting) => {
      const all = await expected(where, `${ORDERS[sort]} limit 60`);
      const first = await inbox(ada.client, { search, sort, limit: 30 });
      const second = await inbox(ada.client, { search, sort, after: first.next ?? '', limit: 30 });
      expect(first.items.map(({ id }) => id)).toEqual(all.slice(0, 30));
      expect(first.next === null ? [] : second.items.map(({ id }) => id)).toEqual(all.slice(30));
      expect(await walk({ search, sort, areas: ['area-4'], states: ['new'], limit: 200 })).toEqual(
        await expected(`${where} and d.area = 'area-4' and d.state = 'new'`, ORDERS[sort]),
      );
      expect((await inbox(ada.client, { search })).counts).toEqual(counting === 'counted' ? await counted(where) : {});
    },
  );

  test.each([
    ['Messing', 'true'],
    ['-Zinn', `i.transcript !~ 'Zinn'`],
    ['-Messing', 'false'],
  ])('%s: counts what many have within each filter', async (search, where) => {
    const filters: readonly (readonly [DeskQuery, string])[] = [
      [{ areas: ['area-3', 'area-4'] }, `d.area in ('area-3', 'area-4')`],
      [{ finished: true }, 'd.finished'],
      [{ kinds: ['video'] }, 'false'],
      [{ assignee: 'none' }, 'd.assignee is null'],
      [{ assignee: ada.id }, 'false'],
      [{ from: '2026-01-02' }, 'false'],
      [{ until: '2025-12-31' }, 'false'],
    ];
    for (const [query, filter] of filters) {
      expect((await inbox(ada.client, { ...query, search })).counts).toEqual(await counted(`${where} and ${filter}`));
    }
  });

  test.each(DESK_SORTS)('Pages through 1,200 by %s, also within equal times', async (sort) => {
    const all = await expected('true', ORDERS[sort]);
    const found: number[] = [];
    let after = '';
    while (found.length < 1_200) {
      const page = await inbox(ada.client, { sort, limit: 157, after });
      found.push(...page.items.map(({ id }) => id));
      after = page.next ?? '';
    }
    expect(found).toEqual(all.slice(0, found.length));
  });

  test.each(['newest', 'oldest'] as const)(
    'while others hand in, %s: no gap and no double among what was there',
    async (sort) => {
      const before = await expected(`d.area = 'area-3'`, ORDERS[sort]);
      expect(before.length).toBeGreaterThan(2_000);
      let added = 0;
      const found = await walk({ areas: ['area-3'], sort, limit: 100 }, async () => {
        added += 1;
        const createdAt = added % 2 === 0 ? '2026-01-01T00:00:01Z' : '2026-01-01T02:00Z';
        await contribute(server, { createdAt, origin: { area: 'area-3' } });
      });
      const known = new Set(before);
      expect(found.filter((id) => known.has(id))).toEqual(before);
      expect(new Set(found).size).toBe(found.length);
      expect(added).toBeGreaterThan(20);
    },
  );
});
