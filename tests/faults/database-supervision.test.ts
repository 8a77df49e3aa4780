import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startCluster } from '#backend/database/index.ts';
import { asOwner } from '#tests/support/callers.ts';
import { enterAs } from '#tests/support/first-accounts.ts';
import { mountDisk, type Disk } from '#tests/support/disk.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { makeUsedFolder } from '#tests/support/used-folder.ts';

let dataDir: string;
let running: ServerProcess[];
let disks: Disk[];

beforeEach(async () => {
  dataDir = await makeUsedFolder();
  running = [];
  disks = [];
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.end('SIGTERM')));
  for (const disk of disks) await disk.unmount();
  await rm(dataDir, { recursive: true, force: true });
});

function start(env: Readonly<Record<string, string>> = {}): ServerProcess {
  const server = spawnServer({ DATA_DIR: dataDir, ...env });
  running.push(server);
  return server;
}

async function postmaster(): Promise<number> {
  return Number((await readFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
}

async function readDatabaseUrl(): Promise<string> {
  const facts = JSON.parse(await readFile(path.join(dataDir, 'server.json'), 'utf8')) as { databaseUrl: string };
  return facts.databaseUrl;
}

async function health(server: ServerProcess): Promise<number> {
  return (await fetch(`${await server.url}/health`)).status;
}

test('A killed PostgreSQL is started again without a new start of the server, three times', async () => {
  const server = start();
  const { client } = await enterAs(await server.url, dataDir, 'admin');
  for (let kill = 0; kill < 3; kill += 1) {
    const before = await postmaster();
    process.kill(before, 'SIGKILL');
    await expect.poll(postmaster).not.toBe(before);
    await expect.poll(() => health(server)).toBe(200);
    expect((await client.from('user_roles').select('role').retry(false)).error).toBeNull();
  }
  expect(server.output()).toContain('PostgreSQL ended, restarting');
  expect(server.child.exitCode).toBeNull();
});

test('A crash of one process of PostgreSQL is followed by a start of all of it (decision 0354)', async () => {
  const server = start();
  await server.url;
  const before = await postmaster();
  const client = new pg.Client({ connectionString: await readDatabaseUrl() });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
  await expect.poll(postmaster).not.toBe(before);
  await expect.poll(() => health(server)).toBe(200);
  await expect.poll(() => server.output()).toContain('PostgreSQL runs again');
  expect(server.child.exitCode).toBeNull();
  await client.end();
});

test('A PostgreSQL that cannot start again ends the server with code 69 and says where to look', async () => {
  const server = start();
  await server.url;
  await rm(path.join(dataDir, 'postgres', 'data', 'global', 'pg_control'));
  process.kill(await postmaster(), 'SIGKILL');
  const [code] = await once(server.child, 'exit');
  expect(code).toBe(69);
  expect(server.output()).toMatch(/PostgreSQL does not start: .*postgres\.log/);
  const again = start();
  expect(await once(again.child, 'exit')).toEqual([69, null]);
});

async function fill(disk: Disk): Promise<string> {
  const file = path.join(disk.folder, 'filler');
  const handle = await open(file, 'a');
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (;;) await handle.write(piece);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    await handle.close();
  }
  return file;
}

/**
 * Fills the disk and makes PostgreSQL write its log until there is no room for more of it. Connected before: where a
 * catalog has just been vacuumed, a new connection needs room itself, for `pg_internal.init`.
 */
async function exhaust({ disk, databaseUrl }: SmallDisk): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  const filler = await fill(disk);
  const write = async (): Promise<void> => {
    for (;;) await client.query(`select pg_logical_emit_message(true, '', repeat('x', 1000000))`);
  };
  await expect(write()).rejects.toThrow();
  await client.end();
  return filler;
}

type SmallDisk = Readonly<{ disk: Disk; server: ServerProcess; databaseUrl: string }>;

async function onSmallDisk(): Promise<SmallDisk | undefined> {
  const disk = await mountDisk(400);
  if (disk === undefined) return undefined;
  disks.push(disk);
  await rm(dataDir, { recursive: true });
  dataDir = await makeUsedFolder(disk.folder);
  const server = start();
  await server.url;
  return { disk, server, databaseUrl: await readDatabaseUrl() };
}

test('A full disk that ends PostgreSQL takes the reserve and nothing else', async (context) => {
  const stage = await onSmallDisk();
  if (stage === undefined) return context.skip('this machine allows no mounts');
  const reserve = path.join(dataDir, 'postgres', 'reserve');
  expect(existsSync(reserve)).toBe(true);
  const filler = await exhaust(stage);
  await expect.poll(() => stage.server.output()).toContain('PostgreSQL runs again');
  await expect.poll(() => health(stage.server)).toBe(200);
  expect(existsSync(reserve)).toBe(false);
  expect(stage.server.child.exitCode).toBeNull();
  await rm(filler);
  return undefined;
});

test('A PostgreSQL without room is back by itself once there is room again', async (context) => {
  const stage = await onSmallDisk();
  if (stage === undefined) return context.skip('this machine allows no mounts');
  await rm(path.join(dataDir, 'postgres', 'reserve'));
  const filler = await exhaust(stage);
  await expect.poll(() => stage.server.output()).toContain('PostgreSQL waits for space');
  expect(await health(stage.server)).toBe(503);
  await rm(filler);
  await expect.poll(() => health(stage.server)).toBe(200);
  return undefined;
});

test("PostgreSQL gets none of the server's keys, and answers in UTC wherever the machine is", async () => {
  vi.stubEnv('SECRET_OF_THE_SERVER', 'geheim');
  vi.stubEnv('TZ', 'Pacific/Auckland');
  const cluster = await startCluster({ folder: path.join(dataDir, 'postgres'), durable: false });
  vi.unstubAllEnvs();
  const environment = await readFile(`/proc/${await postmaster()}/environ`, 'utf8');
  const shown = await asOwner(cluster.url('postgres'), (client) => client.query('show timezone'));
  await cluster.stop();
  expect(shown.rows).toEqual([{ TimeZone: 'UTC' }]);
  expect(environment).toContain('PATH=');
  expect(environment).not.toContain('geheim');
});

test('No text of a caller reaches the log of PostgreSQL, and its log is cleared on request', async () => {
  const folder = path.join(dataDir, 'postgres');
  const logFile = path.join(folder, 'postgres.log');
  const cluster = await startCluster({ folder, durable: false });
  const client = new pg.Client({ connectionString: cluster.url('postgres') });
  await client.connect();
  const statements = [
    "select 'kanarienvogel'::int",
    `do $$ begin raise warning 'kanarienvogel'; end $$`,
    'select kanarienvogel',
  ];
  for (const sql of statements) await client.query(sql).catch(() => undefined);
  await client.query('select $1::int', ['kanarienvogel']).catch(() => undefined);
  await client.end();
  await writeFile(logFile, 'left over', { flag: 'a' });
  expect(await readFile(logFile, 'utf8')).not.toContain('kanarienvogel');
  await cluster.clearLog();
  expect(await readFile(logFile, 'utf8')).toBe('');
  await cluster.stop();
});

test('A log of PostgreSQL past its limit begins again at the next start', async () => {
  const folder = path.join(dataDir, 'postgres');
  await writeFile(path.join(folder, 'postgres.log'), 'alt\n'.repeat(400_000));
  const cluster = await startCluster({ folder, durable: false });
  expect(await readFile(path.join(folder, 'postgres.log'), 'utf8')).not.toContain('alt\nalt');
  await cluster.stop();
});

test('A start removes socket folders of killed servers and leaves those of living ones', async () => {
  const make = async (name: string, pid: number): Promise<string> => {
    const folder = path.join(tmpdir(), `smca-pg-${name}`);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'owner.pid'), String(pid));
    return folder;
  };
  const server = start();
  await server.url;
  const pid = server.child.pid ?? 0;
  await server.end('SIGKILL');
  const [abandoned, living] = [await make('abandoned', pid), await make('living', process.pid)];
  const cluster = await startCluster({ folder: path.join(dataDir, 'postgres'), durable: false });
  expect([existsSync(abandoned), existsSync(living)]).toEqual([false, true]);
  await cluster.stop();
  await rm(living, { recursive: true });
});
