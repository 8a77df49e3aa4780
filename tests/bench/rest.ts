import { readFile } from 'node:fs/promises';
import path from 'node:path';
import autocannon from 'autocannon';
import pg from 'pg';
import { throughput, type Row } from './table.ts';
import type { Subject } from './subject.ts';

/** Clients at once, and percent of plain PostgreSQL that each kind of request is to reach. */
const CLIENTS = [
  [1, { select: 85 }],
  [8, { select: 65, insert: 65 }],
  [16, { select: 70, insert: 70 }],
] as const;
const SECONDS = 5;
const ROWS = 1_000;

/** REST under row-level security against the same SQL, in the same kind of transaction, through `pg` alone. */
export async function restRows(subject: Subject, databaseUrl: string): Promise<Row[]> {
  await addRows(subject);
  const rows: Row[] = [];
  for (const [connections, aims] of CLIENTS)
    for (const [kind, aimPercent] of Object.entries(aims)) {
      const work = WORK[kind as keyof typeof WORK];
      const limit = await plainPg(databaseUrl, subject.userId, work.sql, connections);
      const ours = await loadRest(subject, work, connections);
      const clients = connections === 1 ? 'one client' : `${connections} clients`;
      const what = `REST ${work.what}, row-level security, ${clients}`;
      rows.push(throughput({ what, ours, limit, unit: 'requests/s', aimPercent }));
    }
  return rows;
}

export async function addRows({ client }: Subject): Promise<void> {
  const { error } = await client
    .from('interviews')
    .insert(Array.from({ length: ROWS }, () => ({ transcript: 'Bank' })));
  if (error) throw new Error(error.message);
}

type Work = Readonly<{ what: string; method: 'GET' | 'POST'; path: string; body?: string; sql: string }>;

export const WORK = {
  select: {
    what: 'select of 20 rows',
    method: 'GET',
    path: '/rest/v1/interviews?select=id,created_at&order=id.desc&limit=20',
    sql: `select coalesce(json_agg(t), '[]')::text from (select id, created_at from public.interviews
      order by id desc limit 20) t`,
  },
  insert: {
    what: 'insert',
    method: 'POST',
    path: '/rest/v1/interviews',
    body: JSON.stringify({ created_at: new Date().toISOString() }),
    sql: `insert into public.interviews (created_at) values (now())`,
  },
} as const satisfies Record<string, Work>;

/** Requests a second. */
export async function loadRest(subject: Subject, work: Work, connections: number): Promise<number> {
  const json = work.body === undefined ? {} : { 'content-type': 'application/json' };
  const result = await autocannon({
    url: `${subject.url}${work.path}`,
    method: work.method,
    ...(work.body === undefined ? {} : { body: work.body }),
    headers: { apikey: subject.key, authorization: `Bearer ${subject.accessToken}`, ...json },
    connections,
    duration: SECONDS,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} requests were refused`);
  return result.requests.average;
}

async function plainPg(databaseUrl: string, userId: string, sql: string, connections: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections });
  const claims = JSON.stringify({ sub: userId, role: 'authenticated' });
  const end = performance.now() + SECONDS * 1000;
  let count = 0;
  const worker = async (): Promise<void> => {
    const client = await pool.connect();
    while (performance.now() < end) {
      await client.query('begin');
      await client.query(
        `select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)`,
        [claims],
      );
      await client.query(sql);
      await client.query('commit');
      count += 1;
    }
    client.release();
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.end();
  return count / SECONDS;
}

/** The owner's URL of the subject's embedded database, which the server leaves for its own command line. */
export async function getDatabaseUrl(dataDir: string): Promise<string> {
  const { databaseUrl } = JSON.parse(await readFile(path.join(dataDir, 'server.json'), 'utf8')) as {
    databaseUrl: string;
  };
  return databaseUrl;
}
