import pg from 'pg';
import { getDatabaseUrl } from './rest.ts';
import type { Row } from './table.ts';
import type { Subject } from './subject.ts';

const ROUNDS = 40;
const SELECTS = 200;
const AIM_PERCENT = 5;
const PATH = '/rest/v1/interviews?select=id,created_at&order=id.desc&limit=20';
/** For an admin's select, the dearest: once for the own rows, once for all others. */
const ASKED_PER_SELECT = 2;

/** The function without the question: role and required second factor alone. */
const WITHOUT = `
  create function pg_temp.member_id() returns uuid
  language plpgsql stable security definer set search_path = ''
  as $$
  declare
    claims constant jsonb := auth.jwt();
    login record;
  begin
    select user_id, role into login from public.user_roles where user_id = (claims ->> 'sub')::uuid;
    if not found then return null; end if;
    if claims ->> 'aal' in ('aal2', 'aal3') then return login.user_id; end if;
    perform from private.settings where name = 'second_factor_roles' and value ? login.role;
    return case when not found then login.user_id end;
  end $$`;

/** What each select pays for rights that end with the session: the function with and without the question, in turns. */
export async function livingSessionRow(subject: Subject): Promise<Row> {
  const select = await selectMs(subject);
  const database = new pg.Client({ connectionString: await getDatabaseUrl(subject.dataDir) });
  await database.connect();
  try {
    const claims = Buffer.from(subject.accessToken.split('.')[1] ?? '', 'base64url').toString();
    await database.query(`select set_config('request.jwt.claims', $1, false)`, [claims]);
    await database.query(WITHOUT);
    let [asking, without] = [Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round += 1) {
      asking = Math.min(asking, await callMs(database, 'private.member_id()'));
      without = Math.min(without, await callMs(database, 'pg_temp.member_id()'));
    }
    return row(ASKED_PER_SELECT * (asking - without), select);
  } finally {
    await database.end();
  }
}

/**
 * One call inside the database, without the way there. The fastest of many rounds is the one that nothing disturbed.
 */
async function callMs(database: pg.Client, call: string): Promise<number> {
  await database.query(`
    do $$ declare begun timestamptz := clock_timestamp(); begin
      for i in 1..100 loop perform ${call}; end loop;
      perform set_config('bench.ms', (extract(epoch from clock_timestamp() - begun) * 10)::text, false);
    end $$`);
  const { rows } = await database.query<{ ms: string }>(`select current_setting('bench.ms') as ms`);
  return Number(rows[0]?.ms);
}

async function selectMs({ url, key, accessToken }: Subject): Promise<number> {
  let least = Infinity;
  for (let call = 0; call < SELECTS; call += 1) {
    const begun = performance.now();
    const answer = await fetch(`${url}${PATH}`, { headers: { apikey: key, authorization: `Bearer ${accessToken}` } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`select answered ${answer.status}`);
    least = Math.min(least, performance.now() - begun);
  }
  return least;
}

function row(costMs: number, selectMsOfAll: number): Row {
  const percent = (100 * costMs) / selectMsOfAll;
  return {
    what: 'cost of asking for a living session, of a REST select',
    ours: `${(1_000 * costMs).toFixed(0)} µs`,
    limit: `${(1_000 * selectMsOfAll).toFixed(0)} µs`,
    ratio: `${percent.toFixed(1)} %`,
    aim: `≤ ${AIM_PERCENT} %`,
    met: percent <= AIM_PERCENT,
  };
}
