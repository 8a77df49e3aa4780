import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { makeContent } from '#tests/support/factories.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { sha256 } from '#tests/support/storage.ts';
import { repetitions } from '#tests/support/thorough.ts';

const ROUNDS = repetitions(3, 6);
const UPLOADERS = 6;
const KILL_AFTER_ANSWERS = 10;
const OTHERS = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  and backend_type = 'client backend'`;

let database: TestDatabase;
let dataDir: string;
let pool: pg.Pool;
let running: ServerProcess | undefined;

beforeAll(async () => {
  database = await createDatabase('migrated');
  dataDir = await mkdtemp(path.join(tmpdir(), 'smca-kill-'));
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  // The database is dropped under it at the end.
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await running?.end('SIGKILL');
  await pool.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<SupabaseClient> {
  running = spawnServer({ DATA_DIR: dataDir, DATABASE_URL: database.url });
  const url = await running.url;
  const { rows } = await pool.query<{ secret: string }>(`select value ->> 'secret' as secret from _backend.secrets`);
  return createClient(url, rows[0]?.secret ?? '', { auth: { persistSession: false } });
}

/** What each name may hold: its last acknowledged content, or one sent later whose answer was lost. */
type Ledger = Map<string, { acknowledged: string | undefined; possible: Set<string> }>;

/** Answers how many uploads were on their way at that moment. */
async function uploadUntilKilled(client: SupabaseClient, ledger: Ledger): Promise<number> {
  let answers = 0;
  let killed = false;
  const one = async (uploader: number): Promise<void> => {
    for (let turn = 0; !killed; turn += 1) {
      // Every second time a name that exists: replacing must be as safe as making.
      const name = turn % 2 === 0 ? `kill/${uploader}-shared` : `kill/${randomUUID()}`;
      const content = makeContent(50_000 + Math.floor(Math.random() * 2_000_000));
      const entry = ledger.get(name) ?? { acknowledged: undefined, possible: new Set<string>() };
      ledger.set(name, entry);
      entry.possible.add(sha256(content));
      const { error } = await client.storage.from('Media').upload(name, content, { upsert: true });
      if (error !== null) return;
      entry.acknowledged = sha256(content);
      entry.possible = new Set([sha256(content)]);
      answers += 1;
      if (answers === KILL_AFTER_ANSWERS) {
        await vi.waitUntil(async () => (await onTheirWay()) > 1, { interval: 5 });
        killed = true;
        await running?.end('SIGKILL');
      }
    }
  };
  await Promise.all(Array.from({ length: UPLOADERS }, (_, uploader) => one(uploader)));
  // What the dead one had sent is still done; its connections end behind it.
  await expect.poll(async () => (await pool.query(OTHERS)).rowCount).toBe(0);
  return onTheirWay();
}

async function onTheirWay(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from _backend.unclaimed_files');
  return rows[0]?.n ?? 0;
}

async function check(client: SupabaseClient, ledger: Ledger): Promise<void> {
  const { data } = await client.storage.from('Media').list('kill', { limit: 1_000 });
  const visible = new Set(data?.map(({ name }) => `kill/${name}`));
  for (const [name, { acknowledged, possible }] of ledger) {
    if (acknowledged !== undefined) expect(visible).toContain(name);
    if (!visible.has(name)) continue;
    const { data: file, error } = await client.storage.from('Media').download(name);
    expect(error).toBeNull();
    const found = sha256(new Uint8Array((await file?.arrayBuffer()) ?? []));
    expect(possible).toContain(found);
    ledger.set(name, { acknowledged: found, possible: new Set([found]) });
  }
  const stored = await readdir(path.join(dataDir, 'files'), { recursive: true, withFileTypes: true });
  expect(stored.filter((entry) => entry.isFile())).toHaveLength(visible.size);
  expect((await pool.query('select * from _backend.unclaimed_files')).rows).toEqual([]);
}

test('security faults: kill -9 during uploads: no acknowledged file lost, no half file visible, no leftovers', async () => {
  const ledger: Ledger = new Map();
  let interrupted = 0;
  let client = await start();
  // Where files are written in no time, fewer are on their way.
  for (let round = 0; round < ROUNDS || interrupted <= ROUNDS; round += 1) {
    interrupted += await uploadUntilKilled(client, ledger);
    client = await start();
    await check(client, ledger);
  }
  expect([...ledger.values()].filter(({ acknowledged }) => acknowledged !== undefined).length).toBeGreaterThan(ROUNDS);
});
