import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readEnv } from '#server/env.ts';
import { startServer, type RunningServer } from '#server/start.ts';
import { createUser } from '#tests/support/accounts.ts';
import { accountsApi } from '#tests/support/accounts-api.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { getToken } from '#tests/support/desk-calls.ts';
import { contribute } from '#tests/support/desk.ts';
import { createDatabase } from '#tests/support/database.ts';
import { BLOCKED } from '#tests/support/held-rows.ts';

let dataDir: string;
let databaseUrl: string;
beforeEach(async () => {
  const database = await createDatabase('migrated');
  databaseUrl = database.url;
  dataDir = await mkdtemp(path.join(tmpdir(), 'smca-start-'));
  onTestFinished(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
});

function start(hooks?: Parameters<typeof startServer>[3]): Promise<RunningServer> {
  const source = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
  return startServer(readEnv(source), pino({ level: 'silent' }), source, hooks);
}

test('A step of the stop that fails keeps none of the others back', async () => {
  const server = await start();
  await rm(dataDir, { recursive: true });
  await expect(server.stop()).rejects.toThrow('ENOENT');
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

test('A start that fails says why, also where its stop fails', async () => {
  const prepare = async (): Promise<void> => {
    await rm(dataDir, { recursive: true });
    throw new Error('no accounts');
  };
  await expect(start({ prepare })).rejects.toThrow('no accounts');
});

test('A start removes the address of a server that was killed, before a command can take it for its own', async () => {
  const file = path.join(dataDir, 'server.json');
  await writeFile(file, JSON.stringify({ url: 'http://127.0.0.1:9', pid: 1, databaseUrl: 'postgres://127.0.0.1:9/x' }));
  const isThere: boolean[] = [];
  const server = await start({ onStep: () => isThere.push(existsSync(file)) });
  expect(new Set(isThere)).toEqual(new Set([false]));
  await server.stop();
});

/** Work that is held back by a lock on the table of its next step when the server is told to stop. */
async function stopDuring(server: TestServer, table: string, begin: () => Promise<unknown>): Promise<void> {
  const stopping = await asOwner(databaseUrl, async (client) => {
    await client.query(`begin; lock table ${table} in share mode`);
    void begin().catch(() => undefined);
    await expect.poll(async () => (await client.query(BLOCKED)).rowCount).toBeGreaterThan(0);
    const ended = server.stop();
    await expect.poll(() => existsSync(path.join(dataDir, 'server.json'))).toBe(false);
    await server.deskMail?.idle();
    await setImmediate();
    await client.query('commit');
    return { ended };
  });
  await stopping.ended;
}

const find = async (sql: string): Promise<unknown[]> =>
  (await asOwner(databaseUrl, (client) => client.query(sql))).rows;

test('A stop waits for the change of an account, which would lose its later steps', async () => {
  const server = await bootServer({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, STOP_TIMEOUT_S: '600' });
  const call = await accountsApi(server.url, await createUser(server, { role: 'admin' }));
  const account = { email: 'neu@beispiel.test', role: 'firma_a', by: 'password' };
  await stopDuring(server, 'auth.users', () => call('POST', '', account));
  const made = await find(`select r.role from auth.users as u left join public.user_roles as r on r.user_id = u.id
    where u.email = 'neu@beispiel.test'`);
  expect(made).toEqual([{ role: 'firma_a' }]);
});

test('A stop waits for the contribution that is being erased', async () => {
  const server = await bootServer({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, STOP_TIMEOUT_S: '600' });
  const token = await getToken(await createUser(server, { role: 'admin' }));
  const contribution = await contribute(server);
  const erase = (): Promise<unknown> =>
    fetch(`${server.url}/v1/desk/erasures`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ contribution }),
    });
  await stopDuring(server, 'private.erasure_counts', erase);
  expect(await find('select from public.interviews')).toEqual([]);
});
