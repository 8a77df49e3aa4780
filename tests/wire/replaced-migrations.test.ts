import { readdir } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProjectConfig } from '#backend/config.ts';
import { applyProject, migrate, UnknownMigrationsError, type MigrationPlan } from '#backend/database/index.ts';
import { migrationPlan } from '#backend/migration-plan.ts';
import { runUserCommand } from '#server/accounts/run.ts';
import { createUser } from '#tests/support/accounts.ts';
import { backUp, getContents, emptyInstallation, putBack, sql, temporaryFolder } from '#tests/support/backups.ts';
import { bootServer } from '#tests/support/boot.ts';
import { readCatalog } from '#tests/support/catalog.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { runFile } from '#tests/support/processes.ts';
import { currentPlan, readReplacedSet, writeEarlierProject } from '#tests/support/replaced.ts';

const LEDGER = 'select version, name, statements from supabase_migrations.schema_migrations order by 1';
const VERSIONS = 'select version from supabase_migrations.schema_migrations order by 1';
const ROWS = `
  insert into auth.users (id, email) values ('00000000-0000-0000-0000-000000000001', 'ada@example.com');
  insert into public.user_roles values ('00000000-0000-0000-0000-000000000001', 'firma_a');
  insert into public.interviews (user_id, user_email, transcript, contact_email)
    values ('00000000-0000-0000-0000-000000000001', 'ada@example.com', 'Die Pumpe läuft.', 'ada@example.com');
  insert into public.media_uploads (interview_id, file_path, file_type) values (1, '1/a.webm', 'video/webm');
  insert into public.interview_turns (interview_id, position, speaker, content) values (1, 0, 'user', 'Guten Tag');`;

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(() => database.drop());

/** As an earlier server left it that knew the first `count` of the replaced migrations. */
async function migrateEarlier(url: string, count: number): Promise<void> {
  const folder = await writeEarlierProject(await temporaryFolder(), count);
  await migrate(await migrationPlan(folder, await readProjectConfig(folder, {}), url));
}

async function newVersions(): Promise<string[]> {
  return (await readdir('supabase/migrations')).map((name) => name.slice(0, 14)).toSorted();
}

async function versionsIn(url: string): Promise<unknown[]> {
  return (await sql(url, VERSIONS)).map(({ version }) => version);
}

/** All rows but the ledger's own. */
async function rowsIn(url: string): Promise<unknown> {
  const { 'supabase_migrations.schema_migrations': _, ...rows } = await getContents(url);
  return rows;
}

/** The plan of a server without the migrations that came after the replacement. */
async function replacementPlan(url: string): Promise<MigrationPlan> {
  const [plan, { by }] = [await currentPlan(url), await readReplacedSet()];
  return { ...plan, project: plan.project.filter(({ name }) => by.includes(name.slice(0, 14))) };
}

test('The replaced migrations and those of today make the same schema', async () => {
  const { scripts, by } = await readReplacedSet();
  await migrateEarlier(database.url, scripts.length);
  const today = await createDatabase();
  const plan = await replacementPlan(today.url);
  expect(plan.project).toHaveLength(by.length);
  await migrate({ ...plan, replaced: undefined });
  const [earlier, now] = [await readCatalog(database.url), await readCatalog(today.url)];
  expect(now.length).toBeGreaterThan(900);
  expect(now).toEqual(earlier);
  await today.drop();
});

test('A database that has seen all of them is recorded as up to date, once and without running anything', async () => {
  const { scripts, by } = await readReplacedSet();
  await migrateEarlier(database.url, scripts.length);
  await sql(database.url, ROWS);
  const [catalog, rows] = [await readCatalog(database.url), await rowsIn(database.url)];
  const plan = await replacementPlan(database.url);
  expect(await Promise.all([migrate(plan), migrate(plan)])).toEqual([{ applied: [] }, { applied: [] }]);
  expect(await versionsIn(database.url)).toEqual(by);
  expect(await readCatalog(database.url)).toEqual(catalog);
  expect(await rowsIn(database.url)).toEqual(rows);
  const fresh = await createDatabase();
  await migrate(await replacementPlan(fresh.url));
  expect(await sql(database.url, LEDGER)).toEqual(await sql(fresh.url, LEDGER));
  await fresh.drop();
  const { applied } = await migrate(await currentPlan(database.url));
  expect(applied.filter((name) => by.includes(name.slice(0, 14)))).toEqual([]);
  expect(await versionsIn(database.url)).toEqual(await newVersions());
});

test('A database that has seen some of them gets the others first, with what is in it', async () => {
  const { scripts } = await readReplacedSet();
  await migrateEarlier(database.url, 12);
  await sql(database.url, ROWS);
  const { applied } = await migrate(await currentPlan(database.url));
  expect(applied.slice(0, scripts.length - 12)).toEqual(scripts.slice(12).map(({ name }) => name));
  expect(await versionsIn(database.url)).toEqual(await newVersions());
  const fresh = await createDatabase('migrated');
  expect(await readCatalog(database.url)).toEqual(await readCatalog(fresh.url));
  await fresh.drop();
  // Counted by the statement of a replaced migration for rows that were there before it.
  expect(await sql(database.url, 'select files, turns from private.contribution_usage')).toEqual([
    { files: '1', turns: '1' },
  ]);
});

test('A new database sees the migrations of today alone', async () => {
  const plan = await currentPlan(database.url);
  const { applied } = await migrate(plan);
  expect(applied).toEqual([...plan.platform, ...plan.project].map(({ name }) => name));
  expect(await versionsIn(database.url)).toEqual(await newVersions());
});

test('An earlier server refuses an upgraded database and changes nothing', async () => {
  const { scripts } = await readReplacedSet();
  await migrateEarlier(database.url, scripts.length);
  await migrate(await currentPlan(database.url));
  const rows = await getContents(database.url);
  await expect(migrateEarlier(database.url, scripts.length)).rejects.toThrow(UnknownMigrationsError);
  expect(await getContents(database.url)).toEqual(rows);
});

test('A command for accounts leaves the database of a server that is still of an earlier version (decision 0396)', async () => {
  const { scripts } = await readReplacedSet();
  await migrateEarlier(database.url, scripts.length);
  const said: string[] = [];
  const variables = { DATA_DIR: await temporaryFolder(), DATABASE_URL: database.url };
  const context = { variables, out: () => undefined, err: (text: string) => void said.push(text) };
  expect(await runUserCommand(['list'], context)).toBe(1);
  expect(said.join('')).toContain('Starte erst den Server neu');
  expect(await versionsIn(database.url)).toHaveLength(scripts.length);
});

test('Demo contributions are refused in words where the server is of another version (decision 0396)', async () => {
  const env = { DATABASE_URL: database.url, DATA_DIR: await temporaryFolder() };
  await migrateEarlier(database.url, 12);
  const earlier = await runFile('scripts/seed.ts', [], env);
  expect([earlier.code, earlier.err]).toEqual([2, expect.stringMatching(/^Dieses Programm ist neuer .*geändert\.\n$/)]);
  await migrate(await currentPlan(database.url));
  await sql(database.url, "insert into supabase_migrations.schema_migrations (version) values ('20990101000000')");
  const newer = await runFile('scripts/seed.ts', [], env);
  expect([newer.code, newer.err]).toEqual([2, expect.stringMatching(/^Mit der Datenbank .*\n.* ein\.\n$/)]);
});

test('A database that has seen migrations that were taken back goes on without them', async () => {
  const { gone } = await readReplacedSet();
  await migrate(await currentPlan(database.url));
  const catalog = await readCatalog(database.url);
  await sql(
    database.url,
    `insert into supabase_migrations.schema_migrations (version) select unnest('{${gone.join(',')}}'::text[])`,
  );
  expect((await migrate(await currentPlan(database.url))).applied).toEqual([]);
  expect(await versionsIn(database.url)).toEqual(await newVersions());
  expect(await readCatalog(database.url)).toEqual(catalog);
});

test('Nothing is recorded where the objects of the recorded migrations are missing', async () => {
  const { scripts } = await readReplacedSet();
  await migrateEarlier(database.url, scripts.length);
  await sql(database.url, 'drop function public.desk_inbox(jsonb); drop table private.upload_volumes');
  await expect(migrate(await currentPlan(database.url))).rejects.toThrow(
    'Recorded migrations, but no private.upload_volumes, public.desk_inbox(jsonb) in the database',
  );
  expect(await versionsIn(database.url)).toEqual(scripts.map(({ name }) => name.slice(0, 14)));
});

test('A hosted project that has seen them is recorded in the transaction of the move', async () => {
  const { scripts } = await readReplacedSet();
  await migrateEarlier(database.url, scripts.length);
  const plan = await currentPlan(database.url);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const end of ['rollback', 'commit']) {
    await client.query('begin');
    await applyProject(client, plan);
    expect((await client.query(VERSIONS)).rows.map(({ version }) => version)).toEqual(await newVersions());
    await client.query(end);
    if (end === 'rollback')
      expect(await versionsIn(database.url)).toEqual(scripts.map(({ name }) => name.slice(0, 14)));
  }
  await client.end();
  expect(await versionsIn(database.url)).toEqual(await newVersions());
});

test.each([['all', 0] as const, ['all but the last', 1] as const])(
  'A backup of a server that knew %s of them is restored and served (§9)',
  async (_, unknown) => {
    const count = (await readReplacedSet()).scripts.length - unknown;
    const folder = await temporaryFolder();
    const earlier = await bootServer({ SUPABASE_DIR: await writeEarlierProject(path.join(folder, 'supabase'), count) });
    const member = await createUser(earlier, { role: 'firma_a' });
    const begun = await member.client.from('interviews').insert({ transcript: 'Grüße' }).select('id').single();
    expect(begun.error).toBeNull();
    await backUp({ DATA_DIR: earlier.dataDir, DATABASE_URL: earlier.databaseUrl }, path.join(folder, 'earlier.tar'));
    await earlier.stop();

    const target = await emptyInstallation();
    await putBack(target, path.join(folder, 'earlier.tar'));
    expect(await versionsIn(target.DATABASE_URL)).toHaveLength(count);
    const server = await bootServer(target);
    expect(await versionsIn(target.DATABASE_URL)).toEqual(await newVersions());
    expect((await server.service().from('interviews').select('id, transcript')).data).toEqual([
      { id: begun.data?.id, transcript: 'Grüße' },
    ]);
    const guest = server.client({ headers: { 'x-interview-key': 'k'.repeat(43) } });
    const next = await guest.from('interviews').insert({ transcript: 'Neu' }).select('id').single();
    expect(next.data?.id).toBe(Number(begun.data?.id) + 1);
    await server.stop();
  },
);
