import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startCluster, type Cluster } from '#backend/database/index.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { repetitions } from '#tests/support/thorough.ts';

const RESTARTS = repetitions(1, 10);
const LOST_CONNECTIONS = repetitions(60, 1_000);
const CLIENTS = 8;

let folder: string;
let cluster: Cluster;
let server: TestServer;
let user: TestUser;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-restarts-'));
  cluster = await startCluster({ folder, durable: false });
  server = await bootServer({ DATABASE_URL: cluster.url('postgres'), CONTRIBUTIONS_PER_HOUR: '1000000' });
  user = await createUser(server, { role: 'vdi_admin' });
  // Long enough that one is going on whenever connections are lost.
  const direct = await connect();
  await direct.query(`
    create function public.slow_read() returns int stable language sql as 'select 1 from pg_sleep(0.1)';
    grant execute on function public.slow_read() to authenticated;
    notify pgrst, 'reload schema'`);
  await direct.end();
  await vi.waitUntil(async () => (await user.client.rpc('slow_read', {}, { get: true })).error === null);
});
afterAll(async () => {
  await server.stop();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

type Failed = Readonly<{ kind: string; error: unknown }>;

type Kind = readonly [name: string, ask: (file: string) => Promise<unknown>];

type Load = Readonly<{
  answered: () => number;
  /** For each client, how many of its requests have ended. */
  ended: readonly number[];
  /** Ends the load: how many requests there were, which failed, and what was acknowledged. */
  stop: () => Promise<{ requests: number; failed: Failed[]; rows: number[]; files: string[] }>;
}>;

/** Each client asks one thing after the other: a row written, rows read, a file stored, a login. */
function putUnderLoad(name: string): Load {
  const [failed, rows, files]: [Failed[], number[], string[]] = [[], [], []];
  const ended = Array<number>(CLIENTS).fill(0);
  let answered = 0;
  let going = true;
  const media = server.service().storage.from('Media');
  const kinds: readonly [Kind, ...Kind[]] = [
    [
      'insert',
      async () => {
        const { data, error } = await user.client.from('interviews').insert({}).select('id').single();
        if (error === null) rows.push(Number(data.id));
        return error;
      },
    ],
    ['read', async () => (await user.client.rpc('slow_read', {}, { get: true }).retry(false)).error],
    [
      'upload',
      async (file) => {
        const { error } = await media.upload(file, 'Text');
        if (error === null) files.push(file);
        return error;
      },
    ],
    ['login', async () => (await server.client().auth.signInWithPassword(user)).error],
  ];
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let at = client; going; at += 1) {
      const [kind, ask] = kinds[at % kinds.length] ?? kinds[0];
      const error = await ask(`${name}/${client}-${at}.txt`);
      if (error === null) answered += 1;
      else failed.push({ kind, error });
      ended[client] = (ended[client] ?? 0) + 1;
    }
  });
  const stop = async () => {
    going = false;
    await Promise.all(clients);
    return { requests: ended.reduce((sum, count) => sum + count, 0), failed, rows, files };
  };
  return { answered: () => answered, ended, stop };
}

/** Waits for so many answers, and until each client has begun and ended a request, so that none meets two losses. */
async function moreAnswers(load: Load, count: number): Promise<void> {
  const [before, ended] = [load.answered(), [...load.ended]];
  await vi.waitUntil(
    () => load.answered() >= before + count && load.ended.every((now, client) => now >= (ended[client] ?? 0) + 2),
  );
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: cluster.url('postgres') });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function expectKept({ rows, files }: Readonly<{ rows: number[]; files: string[] }>): Promise<void> {
  const direct = await connect();
  const kept = await direct.query<{ rows: number; files: number }>(
    `select (select count(*)::int from public.interviews where id = any($1)) as rows,
            (select count(*)::int from storage.objects where name = any($2)) as files`,
    [rows, files],
  );
  await direct.end();
  expect(kept.rows).toEqual([{ rows: rows.length, files: files.length }]);
}

async function postmaster(): Promise<number> {
  return Number((await readFile(path.join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
}

test('An external PostgreSQL that restarts under load costs one request in a hundred at most', async () => {
  const load = putUnderLoad('restart');
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    // Each client loses the request at most that the restart meets.
    await moreAnswers(load, 100 * CLIENTS);
    const before = await postmaster();
    // As an operator restarts it: every connection is ended, open transactions are rolled back.
    process.kill(before, 'SIGINT');
    await vi.waitUntil(async () => (await postmaster().catch(() => before)) !== before);
  }
  await moreAnswers(load, CLIENTS);
  const { requests, failed, ...acknowledged } = await load.stop();
  expect(failed.slice(Math.floor(requests / 100)), `${failed.length} of ${requests} failed`).toEqual([]);
  await expectKept(acknowledged);
});

/** How rest, auth and storage say that the database is away; all but these would be a defect. */
const UNAVAILABLE = expect.toSatisfy(
  (error: { code?: string; status?: number }) =>
    error.status === 503 || ['57P01', 'PGRST000', 'PGRST001'].includes(error.code ?? ''),
);

test('Connections lost under load cost no read, and writes are refused only until they are repeated', async () => {
  const load = putUnderLoad('lost');
  const client = await connect();
  for (let lost = 0; lost < LOST_CONNECTIONS;) {
    await moreAnswers(load, 50);
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    expect(rowCount).toBeGreaterThan(0);
    lost += rowCount ?? 0;
  }
  await client.end();
  await moreAnswers(load, 50);
  const { failed, ...acknowledged } = await load.stop();
  expect(failed.filter(({ kind }) => kind === 'read')).toEqual([]);
  for (const { error } of failed) expect(error).toEqual(UNAVAILABLE);
  await expectKept(acknowledged);
});
