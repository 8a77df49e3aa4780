import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { median } from '#tests/support/percentile.ts';
import { spawnServer } from '#tests/support/process.ts';
import { getDatabaseUrl } from './rest.ts';
import { ceiling, type Row } from './table.ts';

const PAIRS = 500;
/** Each costs a password hash. */
const SLOW_PAIRS = 150;
const MOST_MS = 5;

/** An open instance that may be asked as often as the measurement wants; the product itself is closed (D14). */
const CONFIG = `
[auth]
enable_signup = true
[auth.email]
enable_confirmations = true
max_frequency = "1ms"
[auth.rate_limit]
email_sent = 1000000
`;

const CALLS: readonly (readonly [string, (email: string) => object, number])[] = [
  ['POST /recover', (email) => ({ email }), PAIRS],
  ['POST /otp', (email) => ({ email }), PAIRS],
  ['POST /resend', (email) => ({ type: 'signup', email }), PAIRS],
  ['POST /verify', (email) => ({ type: 'email', email, token: '000000' }), PAIRS],
  ['POST /token?grant_type=password', (email) => ({ email, password: 'falsch' }), SLOW_PAIRS],
  ['POST /signup', (email) => ({ email, password: 'lang genug fuer hier' }), SLOW_PAIRS],
];

/** Threat 12: how much longer an answer takes where somebody has an account, call by call. */
export async function accountRows(): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-bench-auth-'));
  const project = path.join(folder, 'supabase');
  await cp(fileURLToPath(new URL('../../supabase', import.meta.url)), project, { recursive: true });
  await writeFile(path.join(project, 'config.toml'), CONFIG);
  const server = spawnServer({
    DATA_DIR: folder,
    SUPABASE_DIR: project,
    AUTH_RATE_LIMIT: '1000000',
    LOG_LEVEL: 'error',
  });
  try {
    const url = await server.url;
    const database = await getDatabaseUrl(folder);
    const rows: Row[] = [];
    for (const [call, readBody, pairs] of CALLS) rows.push(await difference(url, database, { call, readBody, pairs }));
    return rows;
  } finally {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

type Measured = Readonly<{ call: string; readBody: (email: string) => object; pairs: number }>;

async function difference(url: string, database: string, { call, readBody, pairs }: Measured): Promise<Row> {
  const known = await addPeople(database, pairs);
  const [method = '', route = ''] = call.split(' ');
  const ask = async (email: string): Promise<number> => {
    const begun = performance.now();
    const response = await fetch(`${url}/auth/v1${route}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(readBody(email)),
    });
    await response.arrayBuffer();
    return performance.now() - begun;
  };
  const times = { known: [] as number[], unknown: [] as number[] };
  for (const [index, email] of known.entries()) {
    // Whatever a call leaves behind to be done slows the next one: each kind follows the other as often.
    const order = index % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const kind of order) times[kind].push(await ask(kind === 'known' ? email : fresh()));
  }
  const gap = Math.abs(median(times.known) - median(times.unknown));
  return {
    ...ceiling(`${call}: who has an account, ${pairs} pairs`, gap, 'ms', MOST_MS),
    ours: `${gap.toFixed(1)} ms`,
  };
}

function fresh(): string {
  return `${randomUUID()}@beispiel.test`;
}

async function addPeople(database: string, count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, fresh);
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    await client.query(
      `insert into auth.users (id, instance_id, aud, role, email, encrypted_password, email_confirmed_at)
       select gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated', email, $2,
         now()
       from unnest($1::text[]) as email`,
      [emails, '$2b$10$DW45Z4ZhesRRugSFGWzhbehUqkc7udM/GT7P4N4LkNi19A.bon94G'],
    );
  } finally {
    await client.end();
  }
  return emails;
}
