import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { migrate, openDatabase, listSqlFiles, startCluster, type Cluster } from '#backend/database/index.ts';
import { asOwner } from '#tests/support/callers.ts';
import { STATE_MS } from '#tests/support/time-limits.ts';

const run = promisify(execFile);
const ROLES = path.resolve(import.meta.dirname, '../../src/backend/database/platform');

let folder: string;
const running: Cluster[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-cluster-'));
});
afterEach(async () => {
  vi.useRealTimers();
  for (const cluster of running.splice(0)) await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

async function boot(): Promise<Cluster> {
  const cluster = await startCluster({ folder });
  running.push(cluster);
  return cluster;
}

/** A script that starts the cluster in `folder`, writes what it is told, says so, and waits to be killed. */
const SERVER = `
  import { startCluster } from ${JSON.stringify(path.resolve('src/backend/database/index.ts'))};
  import pg from 'pg';
  const cluster = await startCluster({ folder: process.argv[1] });
  const client = new pg.Client({ connectionString: cluster.url('postgres') });
  await client.connect();
  await client.query('create table if not exists kept (id int)');
  await client.query('insert into kept values (1)');
  await client.query('begin; insert into kept values (2)');
  process.kill(process.pid, 'SIGKILL');
`;

async function dieInTheMiddle(): Promise<void> {
  const cwd = path.resolve(import.meta.dirname, '../..');
  const died = run(process.execPath, ['--input-type=module-typescript', '-e', SERVER, folder], { cwd });
  await expect(died).rejects.toMatchObject({ signal: 'SIGKILL' });
}

describe('security.md faults: the embedded PostgreSQL', () => {
  test('survives kill -9 of the server repeatedly: exactly the acknowledged rows are there', async () => {
    await dieInTheMiddle();
    await dieInTheMiddle();
    const cluster = await boot();
    const rows = await asOwner(cluster.url('postgres'), (client) => client.query('select id from kept'));
    expect(rows.rows).toEqual([{ id: 1 }, { id: 1 }]);
  });

  test('keeps its data over a stop and a start, and listens on no network', async () => {
    const first = await boot();
    await asOwner(first.url('postgres'), (client) => client.query('create table kept (id int)'));
    await running.pop()?.stop();
    const second = await boot();
    const result = await asOwner(second.url('postgres'), (client) =>
      client.query(
        `select to_regclass('kept') is not null as kept, current_setting('listen_addresses') as network,
          current_setting('fsync') as fsync`,
      ),
    );
    expect(result.rows).toEqual([{ kept: true, network: '', fsync: 'on' }]);
  });

  test('keeps little memory at rest: a small log buffer, no process that looks for subscriptions', async () => {
    const cluster = await boot();
    const { rows } = await asOwner(cluster.url('postgres'), (client) =>
      client.query(
        `select current_setting('wal_buffers') as log,
          (select count(*)::int from pg_stat_activity where backend_type = 'logical replication launcher') as launchers`,
      ),
    );
    expect(rows).toEqual([{ log: '4MB', launchers: 0 }]);
  });

  test('refuses a second one on the same folder and leaves the first alone', async () => {
    const first = await boot();
    vi.useFakeTimers({ toFake: ['performance'] });
    const refused = expect(startCluster({ folder })).rejects.toThrow('postgres.log');
    // Goes on trying, as an earlier one may still be shutting down.
    const attempts = async (): Promise<number> =>
      (await readFile(path.join(folder, 'postgres.log'), 'utf8')).split('lock file "postmaster.pid"').length - 1;
    await expect.poll(attempts).toBeGreaterThan(1);
    vi.advanceTimersByTime(30_001);
    await refused;
    await asOwner(first.url('postgres'), (client) => client.query('create table still (id int)'));
  });

  test('wants the password, which only the folder knows', async () => {
    const cluster = await boot();
    const url = new URL(cluster.url('postgres'));
    url.password = 'falsch';
    const client = new pg.Client({ connectionString: url.href });
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
    const { stdout } = await run('stat', ['-c', '%a', path.join(folder, 'password')]);
    expect(stdout.trim()).toBe('600');
  });

  test('may stop under a pool: that is reported and calls fail, but nothing is thrown', async () => {
    const first = await boot();
    await migrate({ url: first.url('postgres'), platform: await listSqlFiles(ROLES), project: [], seeds: [] });
    const reported: string[] = [];
    const database = openDatabase({
      url: first.url('postgres'),
      reconnectTimeoutMs: STATE_MS,
      onError: (error) => reported.push(error.message),
    });
    try {
      await database.ping();
      await running.pop()?.stop();
      await expect.poll(() => reported.length).toBeGreaterThan(0);
      await expect(database.ping()).rejects.toBeInstanceOf(Error);
    } finally {
      await database.close();
    }
  });
});
