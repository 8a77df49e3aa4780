import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, type CallerContext, type Database } from '#backend/database/index.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { anon, asOwner, login, service } from '#tests/support/callers.ts';
import { STATE_MS } from '#tests/support/time-limits.ts';

let server: TestServer;
/** One connection only: whatever a transaction left behind, the next one would meet. */
let database: Database;
const noise: string[] = [];

beforeAll(async () => {
  server = await bootServer();
  database = openDatabase({
    url: server.databaseUrl,
    reconnectTimeoutMs: STATE_MS,
    poolSize: 1,
    onError: (error) => noise.push(error.message),
  });
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
  const read = await database.asOwner((tx) => tx.query('select 1 as one', [], { endsTransaction: true }), {
    readOnly: true,
  });
  expect(read.rows).toEqual([{ one: 1 }]);
  await database.asOwner((tx) => tx.query('insert into public.notes values (98)'));
  await database.asOwner((tx) => tx.query('delete from public.notes where id = 98'));
});

test('A transaction that a deadlock ended is run once more (decision 0374)', async () => {
  await database.asOwner((tx) => tx.query('insert into public.notes values (96), (97)'));
  const lock = 'select from public.notes where id = $1 for update';
  const locked: number[] = [];
  const both = Promise.withResolvers<undefined>();
  const lockBoth = (first: number, second: number): Promise<unknown> =>
    database.asOwner(async (tx) => {
      await tx.query(lock, [first]);
      if (locked.push(first) === 2) both.resolve(undefined);
      await both.promise;
      await tx.query(lock, [second]);
    });
  await Promise.all([lockBoth(96, 97), lockBoth(97, 96)]);
  expect(locked).toHaveLength(3);
  await database.asOwner((tx) => tx.query('delete from public.notes'));
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

  test('A transaction of one packet is read-only and the caller’s, and leaves nothing behind', async () => {
    const caller = { ...login({ id: randomUUID(), email: 'a@beispiel.test' }, 'k'.repeat(43)), readOnly: true };
    const inOnePacket = (sql: string, who: CallerContext = caller) =>
      database.asCaller(who, (tx) => tx.query(sql, [], { prepare: true, endsTransaction: true }));
    const [row] = (await inOnePacket(WHO)).rows;
    expect(row).toMatchObject({ role: 'authenticated', method: 'POST', timeout: '8s' });
    await expect(inOnePacket('insert into notes values (9)')).rejects.toMatchObject({ code: '25006' });
    await expect(inOnePacket('select * from auth.users')).rejects.toMatchObject({ code: '42501' });
    await expect(inOnePacket(WHO, { ...caller, role: 'postgres' })).rejects.toMatchObject({ code: '42501' });
    await expect(inOnePacket('select pg_sleep(600)', { ...caller, statementTimeoutMs: 50 })).rejects.toMatchObject({
      code: '57014',
    });
    expect(await who(anon())).toMatchObject({ role: 'anon', uid: null, headers: '{}' });
    expect(await notes()).toEqual([{ id: 1 }]);
  });

  test('A dry run is refused like the work itself, and stores nothing', async () => {
    const dryRun = { ...anon(), dryRun: true };
    const insert = (id: number, endsTransaction: boolean) =>
      database.asCaller(dryRun, (tx) => tx.query(`insert into notes values (${id})`, [], { endsTransaction }));
    for (const endsTransaction of [true, false]) {
      expect((await insert(5, endsTransaction)).rowCount).toBe(1);
      await expect(insert(1, endsTransaction)).rejects.toMatchObject({ code: '23505' });
    }
    expect(await notes()).toEqual([{ id: 1 }]);
    expect(await who(anon())).toMatchObject({ role: 'anon' });
  });

  test('Runs no statement once the transaction has ended', async () => {
    const late = database.asCaller({ ...anon(), readOnly: true }, async (tx) => {
      await tx.query('select 1', [], { endsTransaction: true });
      return tx.query('select current_user');
    });
    await expect(late).rejects.toThrow(/has ended/);
    expect(await who(anon())).toMatchObject({ role: 'anon' });
  });

  test('Statements of one turn wait once, and one that fails takes those behind it with it', async () => {
    const together = database.asCaller(anon(), (tx) =>
      Promise.all([
        tx.query('insert into notes values (4)'),
        tx.query('select 1 / 0'),
        tx.query('insert into notes values (5)'),
      ]),
    );
    await expect(together).rejects.toMatchObject({ code: '22012' });
    const rows = await database.asOwner((tx) =>
      Promise.all([tx.query('select 1 as a'), tx.query('select $1::int as b', [2]), tx.query('select 3 as c')]),
    );
    expect(rows.map((result) => result.rows)).toEqual([[{ a: 1 }], [{ b: 2 }], [{ c: 3 }]]);
    expect(await notes()).toEqual([{ id: 1 }]);
  });

  test('Takes the transaction back where another statement was on its way when one failed', async () => {
    const racing = database.asCaller(anon(), (tx) => {
      const fail = tx.query('select 1 / 0');
      return Promise.all([
        fail,
        fail.catch(() => Promise.all([tx.query('insert into notes values (6)'), tx.query('select 1')])),
      ]);
    });
    await expect(racing).rejects.toMatchObject({ code: '22012' });
    expect(await who(anon())).toMatchObject({ role: 'anon' });
    expect(await notes()).toEqual([{ id: 1 }]);
  });

  test('Prepares a statement again whose first preparation failed', async () => {
    const read = () =>
      database.asOwner((tx) => tx.query('select count(*)::int as n from public.later where id > $1', [0]));
    for (let time = 0; time < 4; time += 1) await expect(read()).rejects.toMatchObject({ code: '42P01' });
    await database.asOwner((tx) => tx.query('create table public.later (id int)'));
    expect((await read()).rows).toEqual([{ n: 0 }]);
    expect((await read()).rows).toEqual([{ n: 0 }]);
  });

  test('Hands over and reads back values of every kind', async () => {
    const at = new Date('2026-03-29T01:30:00.123Z');
    const values = [
      at,
      at,
      ['a', 'b"\\c', null],
      Buffer.from([0, 255]),
      { a: ['ä'] },
      7,
      true,
      null,
      [Buffer.from('x')],
    ];
    const { rows } = await database.asOwner((tx) =>
      tx.query(
        `select $1::timestamptz as moment, $2::timestamp as local, $3::text[] as list, $4::bytea as bytes,
          $5::jsonb as document, $6::int as number, $7::bool as flag, $8::text as nothing, $9::bytea[] as pieces`,
        values,
      ),
    );
    expect(rows).toEqual([
      {
        moment: at,
        local: at,
        list: ['a', 'b"\\c', null],
        bytes: Buffer.from([0, 255]),
        document: { a: ['ä'] },
        number: 7,
        flag: true,
        nothing: null,
        pieces: [Buffer.from('x')],
      },
    ]);
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

  test('Acknowledges no retryable transaction whose commit was refused', async () => {
    await asOwner(server.databaseUrl, (client) =>
      client.query('create table checked_late (id int primary key deferrable initially deferred)'),
    );
    const insert = (endsTransaction: boolean) =>
      database.asOwner((tx) => tx.query('insert into public.checked_late values (1)', [], { endsTransaction }), {
        retryable: true,
      });
    await insert(true);
    for (const endsTransaction of [false, true])
      await expect(insert(endsTransaction)).rejects.toMatchObject({ code: '23505' });
    expect(await who(anon())).toMatchObject({ role: 'anon' });
  });

  test('an idle connection that dies is reported, not thrown', async () => {
    const pid = await backend(anon());
    const before = noise.length;
    await asOwner(server.databaseUrl, (client) => client.query('select pg_terminate_backend($1)', [pid]));
    await expect.poll(() => noise.length).toBeGreaterThan(before);
    await expect(database.ping()).resolves.toBeUndefined();
  });
});
