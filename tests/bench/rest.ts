import { readFile } from 'node:fs/promises';
import path from 'node:path';
import autocannon from 'autocannon';
import pg from 'pg';
import { throughput, type Row } from './table.ts';
import type { Subject } from './subject.ts';

const CONNECTIONS = 8;
const SECONDS = 5;
const ROWS = 1_000;

/** REST under row-level security against the same SQL, in the same kind of transaction, through `pg` alone. */
export async function restRows(subject: Subject, databaseUrl: string): Promise<Row[]> {
  const { error } = await subject.client
    .from('interviews')
    .insert(Array.from({ length: ROWS }, () => ({ transcript: 'Bank' })));
  if (error) throw new Error(error.message);
  const select = await compare(subject, databaseUrl, {
    request: { method: 'GET', path: '/rest/v1/interviews?select=id,created_at&order=id.desc&limit=20' },
    sql: `select coalesce(json_agg(t), '[]')::text from (select id, created_at from public.interviews
      order by id desc limit 20) t`,
  });
  const insert = await compare(subject, databaseUrl, {
    request: {
      method: 'POST',
      path: '/rest/v1/interviews',
      body: JSON.stringify({ created_at: new Date().toISOString() }),
    },
    sql: `insert into public.interviews (created_at) values (now())`,
  });
  return [
    throughput({ what: 'REST select of 20 rows, row-level security', ...select, unit: 'requests/s', aimPercent: 50 }),
    throughput({ what: 'REST insert, row-level security', ...insert, unit: 'requests/s', aimPercent: 50 }),
  ];
}

type Work = Readonly<{ request: { method: 'GET' | 'POST'; path: string; body?: string }; sql: string }>;

async function compare(subject: Subject, databaseUrl: string, work: Work): Promise<{ ours: number; limit: number }> {
  const limit = await plainPg(databaseUrl, subject.userId, work.sql);
  const result = await autocannon({
    url: `${subject.url}${work.request.path}`,
    method: work.request.method,
    ...(work.request.body === undefined ? {} : { body: work.request.body }),
    headers: {
      apikey: subject.key,
      authorization: `Bearer ${subject.accessToken}`,
      ...(work.request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    connections: CONNECTIONS,
    duration: SECONDS,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} requests were refused`);
  return { ours: result.requests.average, limit };
}

async function plainPg(databaseUrl: string, userId: string, sql: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
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
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
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
