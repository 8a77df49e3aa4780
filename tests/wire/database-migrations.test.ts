import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  EarlierDatabaseError,
  migrate,
  openDatabase,
  listSqlFiles,
  UnknownMigrationsError,
  type MigrationPlan,
} from '#backend/database/index.ts';
import { asOwner } from '#tests/support/callers.ts';
import { STATE_MS } from '#tests/support/time-limits.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'smca-migrations-'));
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const ROLES = path.resolve(import.meta.dirname, '../../src/backend/database/platform');

async function plan(
  files: Readonly<Record<string, string>>,
  seeds: Readonly<Record<string, string>> = {},
): Promise<MigrationPlan> {
  for (const [name, sql] of Object.entries({ ...files, ...seeds })) await writeFile(path.join(folder, name), sql);
  const file = (name: string) => ({ name, file: path.join(folder, name) });
  return {
    url: database.url,
    platform: await listSqlFiles(ROLES),
    project: Object.keys(files).toSorted().map(file),
    seeds: Object.keys(seeds).map(file),
  };
}

const rows = async (sql: string) => (await asOwner(database.url, (client) => client.query(sql))).rows;

test('are recorded as the upstream command line records them', async () => {
  await migrate(await plan({ '20260101000000_first_table.sql': 'create table one (id int)' }));
  expect(await rows('select version, name, statements from supabase_migrations.schema_migrations')).toEqual([
    { version: '20260101000000', name: 'first_table', statements: ['create table one (id int)'] },
  ]);
});

test.each(['SQL_ASCII', 'LATIN1'])(
  'are not applied to a database in %s, where signs would be lost',
  async (encoding) => {
    const name = `encoded_${encoding.toLowerCase()}`;
    const made = `create database ${name} encoding '${encoding}' locale 'C' template template0`;
    await asOwner(database.url, (client) => client.query(made));
    try {
      const url = new URL(database.url);
      url.pathname = `/${name}`;
      await expect(migrate({ ...(await plan({})), url: url.href })).rejects.toMatchObject({ code: '22P05' });
    } finally {
      await asOwner(database.url, (client) => client.query(`drop database ${name}`));
    }
  },
);

test('go forward only: what was applied is not applied again, even when its file changed', async () => {
  await migrate(await plan({ '1_a.sql': 'create table one (id int)' }, { 'seed.sql': 'insert into one values (1)' }));
  const changed = await plan({ '1_a.sql': 'drop table one' }, { 'seed.sql': 'insert into one values (2)' });
  expect((await migrate(changed)).applied).toEqual([]);
  expect(await rows('select id from one')).toEqual([{ id: 1 }]);
});

test('a database that a newer version has migrated is refused, and nothing is applied to it', async () => {
  const earlier = await plan({ '1_a.sql': 'create table one (id int)' });
  await migrate(await plan({ '1_a.sql': 'create table one (id int)', '3_c.sql': 'create table three (id int)' }));
  const branched = await plan({ '1_a.sql': 'create table one (id int)', '2_b.sql': 'create table two (id int)' });
  for (const older of [earlier, branched, { ...earlier, platform: [], project: [] }])
    await expect(migrate(older)).rejects.toThrow(UnknownMigrationsError);
  await expect(migrate(branched)).rejects.toThrow('These migrations are not known here: 3');
  expect(await rows(`select to_regclass('two') as two, to_regclass('three') is not null as three`)).toEqual([
    { two: null, three: true },
  ]);
});

test('a command makes a new database, but upgrades none, on which an earlier server may be running', async () => {
  const first = await plan({ '1_a.sql': 'create table one (id int)' });
  const next = await plan({ '1_a.sql': 'create table one (id int)', '2_b.sql': 'create table two (id int)' });
  expect((await migrate(first, { upgrade: false })).applied).toContain('1_a.sql');
  await expect(migrate(next, { upgrade: false })).rejects.toThrow(EarlierDatabaseError);
  expect((await migrate(next)).applied).toEqual(['2_b.sql']);
  expect((await migrate(next, { upgrade: false })).applied).toEqual([]);
});

test('two servers that start at once apply each of them once', async () => {
  const files = {
    '1_a.sql': 'create table one (id int)',
    '2_b.sql': 'select pg_sleep(0.05); insert into one values (1)',
  };
  const both = await plan(files, { 'seed.sql': 'insert into one values (2)' });
  const results = await Promise.all([migrate(both), migrate(both), migrate(both)]);
  const applied = results.flatMap((result) => result.applied).toSorted();
  expect(applied).toEqual(['0001_roles.sql', '1_a.sql', '2_b.sql', 'seed.sql']);
  expect(await rows('select id from one order by id')).toEqual([{ id: 1 }, { id: 2 }]);
});

test('sets up several databases of one cluster at once (roles belong to the cluster)', async () => {
  const others = await Promise.all(Array.from({ length: 7 }, () => createDatabase()));
  try {
    const one = await plan({ '1_a.sql': 'create table one (id int)' });
    const plans = [one, ...others.map(({ url }) => ({ ...one, url }))];
    const results = await Promise.all(plans.map((each) => migrate(each)));
    expect(results.map((result) => result.applied.length)).toEqual(plans.map(() => 2));
  } finally {
    for (const other of others) await other.drop();
  }
});

test('one that fails is named, leaves nothing of itself, keeps those before it, and can be repaired', async () => {
  const bad = {
    '1_a.sql': 'create table one (id int)',
    '2_b.sql': 'create table two (id int); select 1 / 0',
    '3_c.sql': 'create table three (id int)',
  };
  await expect(migrate(await plan(bad))).rejects.toThrow('Migration 2_b.sql failed: division by zero');
  expect(
    await rows(
      `select to_regclass('one') is not null as one, to_regclass('two') as two, to_regclass('three') as three`,
    ),
  ).toEqual([{ one: true, two: null, three: null }]);
  const repaired = await migrate(await plan({ ...bad, '2_b.sql': 'create table two (id int)' }));
  expect(repaired.applied).toEqual(['2_b.sql', '3_c.sql']);
});

test.each(['40P01', '55P03'])(
  'one that an older server stops by its locks (%s) is tried again, and says so',
  async (code) => {
    const stopped = `do $$ begin
      if nextval('attempts') <= 2 then raise 'locked' using errcode = '${code}'; end if;
    end $$`;
    await migrate(await plan({ '1_a.sql': 'create sequence attempts' }));
    const next = await plan({
      '1_a.sql': 'create sequence attempts',
      '2_b.sql': `create table two (id int); ${stopped}`,
      '3_c.sql': 'create table three (id int)',
    });
    const said: unknown[] = [];
    const { applied } = await migrate(next, { onStopped: (message) => void said.push(message) });
    expect(applied).toEqual(['2_b.sql', '3_c.sql']);
    expect(said).toEqual(Array.from({ length: 2 }, () => 'Migration 2_b.sql failed: locked'));
  },
);

test('one that is stopped by locks again and again fails in the end', async () => {
  const stopped = `do $$ begin perform nextval('attempts'); raise 'locked' using errcode = '40P01'; end $$`;
  const files = { '1_a.sql': 'create sequence attempts', '2_b.sql': stopped };
  await expect(migrate(await plan(files))).rejects.toThrow('Migration 2_b.sql failed: locked');
  expect(await rows('select last_value::int as attempts from attempts')).toEqual([{ attempts: 5 }]);
});

test('a setting that one leaves behind does not reach the next', async () => {
  const files = { '1_a.sql': `set search_path = ''; set role anon`, '2_b.sql': 'create table one (id int)' };
  await migrate(await plan(files));
  expect(await rows(`select to_regclass('public.one') is not null as there`)).toEqual([{ there: true }]);
});

test('afterwards every server that knows the owner’s address can open callers’ transactions', async () => {
  await migrate(await plan({}));
  const opened = openDatabase({
    url: database.url,
    reconnectTimeoutMs: STATE_MS,
    poolSize: 2,
    onError: () => undefined,
  });
  try {
    await expect(opened.ping()).resolves.toBeUndefined();
  } finally {
    await opened.close();
  }
});
