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
import { BLOCKED } from '#tests/support/held-rows.ts';

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

/** A shell's own, which are not for the PostgreSQL of a server. */
const SHELL = {
  PGHOST: '/nowhere',
  PGPORT: '1',
  PGUSER: 'x',
  PGPASSWORD: 'x',
  PGDATABASE: 'x',
  PGSSLMODE: 'require',
};
/** A busy disk takes its time for what PostgreSQL writes at the end. */
const PATIENT_STOP = { STOP_TIMEOUT_S: '600' };

async function isHealthy(server: ServerProcess): Promise<boolean> {
  return (await fetch(`${await server.url}/health`)).status === 200;
}

async function endTwice(server: ServerProcess, signal: NodeJS.Signals): Promise<void> {
  await server.url;
  const exited = once(server.child, 'exit');
  server.child.kill(signal);
  // Removed at the beginning of a stop; after it the signal meets a server that is ending.
  await expect.poll(() => existsSync(path.join(dataDir, 'server.json'))).toBe(false);
  server.child.kill(signal);
  expect(await exited).toEqual([0, null]);
}

// One server after the other on the same data: on a taken folder or port, stopped in order, killed, after a newer one.
test('security faults: leaves a running server alone, and starts again after a stop and kill -9', async () => {
  const first = start({ ...SHELL, ...PATIENT_STOP });
  const { port } = new URL(await first.url);
  const key = await publicKey(first);
  const second = start();
  const [code] = await once(second.child, 'exit');
  expect(code).toBe(1);
  expect(second.output()).toContain('arbeitet schon ein Server');
  const other = await makeUsedFolder();
  const beside = start({ PORT: port, DATA_DIR: other });
  const [codeBeside] = await once(beside.child, 'exit');
  expect(codeBeside).toBe(1);
  expect(beside.output()).toContain(port);
  // No database of it is left running.
  expect(existsSync(path.join(other, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
  await rm(other, { recursive: true, force: true });
  expect(await isHealthy(first)).toBe(true);

  expect(await first.end('SIGTERM')).toBe(0);
  expect(await readFile(path.join(dataDir, 'postgres', 'postgres.log'), 'utf8')).not.toContain('PANIC');
  const again = start();
  expect(await publicKey(again)).toBe(key);
  expect(await isHealthy(again)).toBe(true);

  await again.end('SIGKILL');
  // It starts, so the killed one has left no PostgreSQL behind.
  const newer = start(PATIENT_STOP);
  expect(await publicKey(newer)).toBe(key);

  const file = await readServerFile(dataDir);
  await asOwner(file?.databaseUrl ?? '', (client) =>
    client.query(`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`),
  );
  await endTwice(newer, 'SIGTERM');
  const older = start();
  const [codeOlder] = await once(older.child, 'exit');
  expect(codeOlder).toBe(1);
  expect(older.output()).toContain(`Mit der Datenbank in ${dataDir} hat eine neuere Version gearbeitet`);
  expect(older.output()).toContain('29990101000000');
  expect(older.output()).not.toMatch(/^\s+at /m);
});

test.each(['SIGINT', 'SIGHUP'] as const)('%s, as SIGTERM, ends it in order, also when it comes twice', (signal) =>
  endTwice(start(PATIENT_STOP), signal),
);

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
    await expect.poll(async () => (await client.query(BLOCKED)).rowCount).toBeGreaterThan(0);
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
