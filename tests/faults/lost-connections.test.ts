import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isUnavailable, openDatabase, type CallerContext, type Database, type Tx } from '#backend/database/index.ts';
import { createDatabaseLocker } from '#backend/storage/resumable/locks.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { startDatabaseProxy, type DatabaseProxy } from '#tests/support/database-proxy.ts';
import { STATE_MS } from '#tests/support/time-limits.ts';

let target: TestDatabase;
let proxy: DatabaseProxy;
let database: Database;
let direct: pg.Client;

beforeEach(async () => {
  target = await createDatabase('migrated');
  proxy = await startDatabaseProxy(target.url);
  database = openDatabase({ url: proxy.url, reconnectTimeoutMs: STATE_MS, onError: () => undefined });
  direct = new pg.Client({ connectionString: target.url });
  await direct.connect();
  await direct.query('create table public.lines (line text)');
});
afterEach(async () => {
  await database.close();
  await direct.end();
  await proxy.stop();
  await target.drop();
});

const CALLER: CallerContext = { role: 'anon', claims: {}, method: 'GET', path: '/', headers: {}, readOnly: true };

async function one(tx: Tx): Promise<unknown> {
  return (await tx.query('select 1 as one')).rows[0];
}

async function insert(tx: Tx, line: string): Promise<void> {
  await tx.query('insert into lines values ($1)', [line]);
}

async function lines(): Promise<string[]> {
  return (await direct.query<{ line: string }>('select line from lines order by line')).rows.map(({ line }) => line);
}

test('A connection that ends in the packet that reports it ready does not end the process', async () => {
  proxy.terminateWhenReady(1);
  expect(await database.asOwner(one)).toEqual({ one: 1 });
});

test('A connection lost while idle costs no request', async () => {
  await Promise.all([
    ...Array.from({ length: 5 }, () => database.asOwner(one)),
    ...Array.from({ length: 10 }, () => database.asCaller(CALLER, one)),
  ]);
  // In the same turn: the client has not learned of the loss when it sends its statement.
  proxy.cut();
  const answers = await Promise.all([
    database.ping(),
    ...Array.from({ length: 5 }, () => database.asOwner(one)),
    ...Array.from({ length: 10 }, () => database.asCaller(CALLER, one)),
  ]);
  expect(answers.slice(1)).toEqual(Array.from({ length: 15 }, () => ({ one: 1 })));
});

test('A write lost in the middle of an answer before its commit is repeated and takes effect once', async () => {
  proxy.cutInMessageAfter('insert into lines', 1);
  await database.asOwner((tx) => insert(tx, 'once'));
  expect(await lines()).toEqual(['once']);
});

test('A write whose answer to the commit is lost is not repeated', async () => {
  let times = 0;
  const done = proxy.cutAfterSending('commit', 'unknown');
  const written = database.asOwner(async (tx) => {
    times += 1;
    await insert(tx, 'unknown');
  });
  const error = await written.catch((cause: unknown) => cause);
  expect(isUnavailable(error)).toBe(true);
  expect(times).toBe(1);
  await done;
  expect(await lines()).toEqual(['unknown']);
});

test('A write that may be done again is repeated although its commit was sent', async () => {
  const done = proxy.cutAfterSending('commit', 'again');
  await database.asOwner((tx) => tx.query(`insert into lines values ('again')`, [], { endsTransaction: true }), {
    retryable: true,
  });
  await done;
  expect(await lines()).toEqual(['again', 'again']);
});

test('The lock of an upload is its holder’s although the answer to it was lost (contract §3.3)', async () => {
  const lock = createDatabaseLocker({ database, log: pino({ enabled: false }) }).newLock('upload');
  const done = proxy.cutAfterSending('commit', 'upload_locks');
  // Who finds the lock taken gives up at once.
  await lock.lock(AbortSignal.abort(), () => undefined);
  await done;
  const count = async () => (await direct.query('select from _backend.upload_locks')).rowCount;
  expect(await count()).toBe(1);
  await lock.unlock();
  expect(await count()).toBe(0);
});

test('A transaction that loses its connection twice fails with the cause', async () => {
  proxy.cutInMessageAfter('insert into lines', 2);
  const error = await database.asOwner((tx) => insert(tx, 'never')).catch((cause: unknown) => cause);
  expect(isUnavailable(error)).toBe(true);
  expect(await lines()).toEqual([]);
});

test('An error of a statement is thrown as it is and nothing is repeated', async () => {
  let times = 0;
  const failed = database.asOwner((tx) => {
    times += 1;
    return tx.query('select 1/0');
  });
  await expect(failed).rejects.toMatchObject({ code: '22012' });
  expect(times).toBe(1);
});

test('Requests wait for a database that comes back within their patience', async () => {
  await database.asOwner(one);
  await proxy.close();
  const asked = Array.from({ length: 50 }, () => database.asOwner(one));
  await expect(database.ping()).rejects.toThrow();
  await proxy.open();
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 50 }, () => ({ one: 1 })));
});

test('After an outage longer than their patience requests fail at once until the database is back', async () => {
  const impatient = openDatabase({ url: proxy.url, reconnectTimeoutMs: 1, onError: () => undefined });
  await proxy.close();
  const errors = await Promise.all([1, 2].map(() => impatient.asOwner(one).catch((cause: unknown) => cause)));
  expect(errors.map(isUnavailable)).toEqual([true, true]);
  await proxy.open();
  expect(await impatient.asOwner(one)).toEqual({ one: 1 });
  await impatient.close();
});

test('Under load 50 losses of all connections lose no acknowledged row and double none', async () => {
  const acknowledged: string[] = [];
  const refused: unknown[] = [];
  let losing = true;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let at = 0; losing; at += 1) {
      const line = `${writer}-${at}`;
      await database
        .asOwner((tx) => insert(tx, line))
        .then(() => acknowledged.push(line))
        .catch((error: unknown) => refused.push(error));
    }
  });
  for (let loss = 0; loss < 50; loss += 1) {
    proxy.terminateWhenReady(1);
    await direct.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await database.asCaller(CALLER, one).catch((error: unknown) => refused.push(error));
  }
  losing = false;
  await Promise.all(writers);
  const found = await lines();
  expect(new Set(found).size).toBe(found.length);
  expect(acknowledged.filter((line) => !found.includes(line))).toEqual([]);
  expect(refused.filter((error) => !isUnavailable(error))).toEqual([]);
  expect(await database.asOwner(one)).toEqual({ one: 1 });
});
