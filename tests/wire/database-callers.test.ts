import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type CallerContext, type Database } from '#backend/database/index.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { anon, asOwner, login, service } from '#tests/support/callers.ts';

let server: TestServer;
/** One connection only: whatever a transaction left behind, the next one would meet. */
let database: Database;
const noise: string[] = [];

beforeAll(async () => {
  server = await bootServer();
  database = openDatabase({ url: server.databaseUrl, poolSize: 1, onError: (error) => noise.push(error.message) });
  await asOwner(server.databaseUrl, (client) =>
    client.query('create table public.notes (id int primary key); grant all on public.notes to anon'),
  );
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

const WHO = `select current_user::text as role, auth.uid()::text as uid, current_setting('request.headers',
  true) as headers,
  current_setting('request.method', true) as method, current_setting('storage.operation', true) as operation,
  current_setting('search_path') as path, current_setting('statement_timeout') as timeout`;

const who = async (caller: CallerContext) => (await database.asCaller(caller, (tx) => tx.query(WHO))).rows[0];
const backend = async (caller: CallerContext) =>
  (await database.asCaller(caller, (tx) => tx.query('select pg_backend_pid() as pid'))).rows[0]?.['pid'];
const notes = async () =>
  (await asOwner(server.databaseUrl, (client) => client.query('select id from notes order by id'))).rows;

test('architecture: asOwner that only reads writes nothing', async () => {
  const write = database.asOwner((tx) => tx.query('insert into public.notes values (99)'), { readOnly: true });
  await expect(write).rejects.toMatchObject({ code: '25006' });
  const read = await database.asOwner((tx) => tx.query('select 1 as one', [], { last: true }), { readOnly: true });
  expect(read.rows).toEqual([{ one: 1 }]);
  await database.asOwner((tx) => tx.query('insert into public.notes values (98)'));
  await database.asOwner((tx) => tx.query('delete from public.notes where id = 98'));
});

describe('architecture: asCaller', () => {
  test('role, claims, headers and settings are those of the caller', async () => {
    const id = randomUUID();
    const caller = {
      ...login({ id, email: 'a@beispiel.test' }, 'k'.repeat(43)),
      settings: { 'storage.operation': 'x' },
    };
    expect(await who({ ...caller, searchPath: ['public', 'Großes "Schema"'], statementTimeoutMs: 1234 })).toEqual({
      role: 'authenticated',
      uid: id,
      headers: JSON.stringify({ 'x-interview-key': 'k'.repeat(43) }),
      method: 'POST',
      operation: 'x',
      path: '"public", "Großes ""Schema"""',
      timeout: '1234ms',
    });
  });

  test('nothing of a caller is left for the next one on the same connection', async () => {
    const first = {
      ...login({ id: randomUUID(), email: 'a@beispiel.test' }, 'k'.repeat(43)),
      settings: { 'storage.operation': 'x' },
    };
    const pid = await backend(first);
    expect(await backend(anon())).toBe(pid);
    expect(await who(anon())).toMatchObject({ role: 'anon', uid: null, headers: '{}', operation: '' });
  });

  test('what a caller carries is data, never SQL', async () => {
    const evil = `'); drop table notes; select ('`;
    const caller = { ...anon(), method: evil, path: evil, headers: { evil, "o'": `\\' ; drop table notes --` } };
    expect(await who(caller)).toMatchObject({ role: 'anon', method: evil });
    expect(await notes()).toEqual([]);
  });

  test('commits what succeeds, undoes what throws, and hands the connection back clean', async () => {
    await database.asCaller(anon(), (tx) => tx.query('insert into notes values (1)'));
    const own = new Error('own');
    const fails = database.asCaller(anon(), async (tx) => {
      await tx.query('insert into notes values (2)');
      throw own;
    });
    await expect(fails).rejects.toBe(own);
    const clash = database.asCaller(anon(), async (tx) => {
      await tx.query('insert into notes values (3)');
      await tx.query('insert into notes values (1)');
    });
    await expect(clash).rejects.toMatchObject({ code: '23505' });
    expect(await notes()).toEqual([{ id: 1 }]);
    expect(await who(anon())).toMatchObject({ role: 'anon' });
  });

  test('a read-only caller writes nothing', async () => {
    const write = database.asCaller({ ...anon(), readOnly: true }, (tx) => tx.query('insert into notes values (9)'));
    await expect(write).rejects.toMatchObject({ code: '25006' });
  });

  test('threat 11: a slow statement is stopped by statement_timeout, and only that one', async () => {
    const slow = database.asCaller({ ...anon(), statementTimeoutMs: 50 }, (tx) => tx.query('select pg_sleep(600)'));
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    expect(await who(anon())).toMatchObject({ timeout: '8s' });
  });

  test('a role that the server may not become is refused', async () => {
    for (const role of ['postgres', 'pg_read_all_data', 'gibtsnicht'])
      await expect(who({ ...anon(), role })).rejects.toMatchObject({ severity: 'ERROR' });
  });

  test('the connection of callers cannot step past row-level security by itself', async () => {
    await expect(database.asCaller(anon(), (tx) => tx.query('select * from auth.users'))).rejects.toMatchObject({
      code: '42501',
    });
    await expect(database.asCaller(anon(), (tx) => tx.query('select * from _backend.secrets'))).rejects.toMatchObject({
      code: '42501',
    });
    const role = await asOwner(server.databaseUrl, (client) =>
      client.query(
        `select rolsuper, rolbypassrls, rolcreaterole, rolinherit from pg_roles where rolname = 'authenticator'`,
      ),
    );
    expect(role.rows).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolinherit: false }]);
    expect(await who(service())).toMatchObject({ role: 'service_role' });
  });

  test('a connection cut in the middle fails that transaction; the next one works', async () => {
    const cut = database.asCaller(anon(), async (tx) => {
      const pid = (await tx.query('select pg_backend_pid() as pid')).rows[0]?.['pid'];
      await asOwner(server.databaseUrl, (client) => client.query('select pg_terminate_backend($1)', [pid]));
      await tx.query('insert into notes values (7)');
    });
    await expect(cut).rejects.toBeInstanceOf(Error);
    expect(await who(anon())).toMatchObject({ role: 'anon' });
    expect(await notes()).toEqual([{ id: 1 }]);
  });

  test('Acknowledges no transaction that PostgreSQL rolled back after a statement failed unnoticed', async () => {
    const unnoticed = database.asOwner(async (tx) => {
      await tx.query('insert into notes values (8)');
      await tx.query('select 1 / 0').catch(() => undefined);
    });
    await expect(unnoticed).rejects.toThrow(/rolled back/);
    expect(await notes()).not.toContainEqual({ id: 8 });
  });

  test('an idle connection that dies is reported, not thrown', async () => {
    const pid = await backend(anon());
    const before = noise.length;
    await asOwner(server.databaseUrl, (client) => client.query('select pg_terminate_backend($1)', [pid]));
    await expect.poll(() => noise.length).toBeGreaterThan(before);
    await expect(database.ping()).resolves.toBeUndefined();
  });
});
