import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readServerFile } from '#server/data-folder.ts';
import { accountsApi } from '#tests/support/accounts-api.ts';
import { asOwner } from '#tests/support/callers.ts';
import { enterAs } from '#tests/support/first-accounts.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { makeUsedFolder } from '#tests/support/used-folder.ts';

let dataDir: string;
let running: ServerProcess[];

beforeEach(async () => {
  dataDir = await makeUsedFolder();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.end('SIGTERM')));
  await rm(dataDir, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): ServerProcess {
  const server = spawnServer({ DATA_DIR: dataDir, ...env });
  running.push(server);
  return server;
}

async function publicKey(server: ServerProcess): Promise<unknown> {
  const config = (await (await fetch(`${await server.url}/config.json`)).json()) as { supabaseKey: string };
  return config.supabaseKey;
}

test('security faults: a second server on the same data ends with a message and leaves the first alone', async () => {
  const first = start();
  const url = await first.url;
  const second = start();
  const [code] = await once(second.child, 'exit');
  expect(code).toBe(1);
  expect(second.output()).toContain('arbeitet schon ein Server');
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test('security faults: killed with -9, it leaves no PostgreSQL behind and starts again with the same keys', async () => {
  const first = start();
  const key = await publicKey(first);
  await first.end('SIGKILL');
  const again = start();
  expect(await publicKey(again)).toBe(key);
});

test("A start does not take the shell's PostgreSQL variables for its own PostgreSQL", async () => {
  const shell = {
    PGHOST: '/nowhere',
    PGPORT: '1',
    PGUSER: 'x',
    PGPASSWORD: 'x',
    PGDATABASE: 'x',
    PGSSLMODE: 'require',
  };
  const server = start(shell);
  expect((await fetch(`${await server.url}/health`)).status).toBe(200);
});

test('an orderly stop ends with 0 and the database shut down', async () => {
  // A busy disk takes its time for what PostgreSQL writes at the end.
  const server = start({ STOP_TIMEOUT_S: '60' });
  await server.url;
  expect(await server.end('SIGTERM')).toBe(0);
  expect(await readFile(path.join(dataDir, 'postgres', 'postgres.log'), 'utf8')).not.toContain('PANIC');
  const again = start();
  expect((await fetch(`${await again.url}/health`)).status).toBe(200);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it in order, also when it comes twice', async (signal) => {
  const server = start({ STOP_TIMEOUT_S: '60' });
  await server.url;
  const exited = once(server.child, 'exit');
  server.child.kill(signal);
  // Removed at the beginning of a stop; after it the signal meets a server that is ending.
  await expect.poll(() => existsSync(path.join(dataDir, 'server.json'))).toBe(false);
  server.child.kill(signal);
  expect(await exited).toEqual([0, null]);
});

test('Ctrl-C of a terminal, which all processes get, leaves the database to the orderly stop', async () => {
  const server = spawnServer({ DATA_DIR: dataDir, STOP_TIMEOUT_S: '600' }, { inGroup: true });
  running.push(server);
  const url = await server.url;
  const call = await accountsApi(url, await enterAs(url, dataDir, 'admin'));
  const exited = once(server.child, 'exit');
  await asOwner((await readServerFile(dataDir))?.databaseUrl ?? '', async (client) => {
    await client.query('begin; lock table auth.users in share mode');
    // The stop waits for it, and cuts off its answer.
    call('POST', '', { email: 'neu@beispiel.test', role: 'firma_a', by: 'password' }).catch(() => undefined);
    const waiting = `select from pg_locks where relation = 'auth.users'::regclass and not granted`;
    await expect.poll(async () => (await client.query(waiting)).rowCount).toBeGreaterThan(0);
    process.kill(-(server.child.pid ?? 0), 'SIGINT');
    await expect.poll(() => existsSync(path.join(dataDir, 'server.json'))).toBe(false);
    await client.query('commit');
  });
  expect(await exited).toEqual([0, null]);
  await start().url;
  const made = `select r.role from auth.users as u left join user_roles as r on r.user_id = u.id where email ~ '^neu@'`;
  const again = (await readServerFile(dataDir))?.databaseUrl ?? '';
  expect((await asOwner(again, (client) => client.query(made))).rows).toEqual([{ role: 'firma_a' }]);
});

test('a bad configuration is named and stops the start', async () => {
  const server = start({ PORT: 'achtzig' });
  const [code] = await once(server.child, 'exit');
  expect(code).toBe(1);
  expect(server.output()).toContain('PORT');
});

test('a taken port is named and leaves no database running', async () => {
  const first = start();
  const { port } = new URL(await first.url);
  const other = await makeUsedFolder();
  const second = start({ PORT: port, DATA_DIR: other });
  const [code] = await once(second.child, 'exit');
  expect(code).toBe(1);
  expect(second.output()).toContain(port);
  await rm(other, { recursive: true, force: true });
});

test('the log names the migrations that a start has applied', async () => {
  const fresh = await mkdtemp(path.join(tmpdir(), 'smca-fresh-'));
  const first = start({ DATA_DIR: fresh, LOG_LEVEL: 'info' });
  await first.url;
  expect(first.output()).toMatch(/"migrations":\[[^\]]*"20261122140000_roles.sql",[^\]]*\],"msg":"migrations applied"/);
  await first.end('SIGTERM');
  const again = start({ DATA_DIR: fresh, LOG_LEVEL: 'info' });
  await again.url;
  expect(again.output()).not.toContain('migrations applied');
  await again.end('SIGTERM');
  await rm(fresh, { recursive: true, force: true });
});

test('a data folder of a newer version is refused with the way on', async () => {
  const newer = start();
  await newer.url;
  const file = await readServerFile(dataDir);
  await asOwner(file?.databaseUrl ?? '', (client) =>
    client.query(`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`),
  );
  await newer.end('SIGTERM');
  const older = start();
  const [code] = await once(older.child, 'exit');
  expect(code).toBe(1);
  expect(older.output()).toContain(`Mit der Datenbank in ${dataDir} hat eine neuere Version gearbeitet`);
  expect(older.output()).toContain('29990101000000');
  expect(older.output()).not.toMatch(/^\s+at /m);
});
