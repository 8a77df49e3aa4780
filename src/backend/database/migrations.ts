import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { authenticatorPassword } from './database.ts';
import type { ReplacedMigrations, SqlScript } from './replaced.ts';

/** SQL files in the order in which they apply. `name` is the file's name without folder. */
export type SqlFile = Readonly<{ name: string; file: string }>;

export type MigrationPlan = Readonly<{
  url: string;
  /** The services' own schemas, applied before the project's. */
  platform: readonly SqlFile[];
  /** `<version>_<name>.sql`, as the upstream command line writes them. */
  project: readonly SqlFile[];
  /** Earlier migrations of the project that its files have replaced. */
  replaced?: ReplacedMigrations | undefined;
  seeds: readonly SqlFile[];
}>;

// Any number will do, as long as every server on this database uses the same.
const MIGRATION_LOCK = 7_236_091;

/** As on upstream's servers: crypt() and uuid_generate_v4() are found without their schema. */
const SEARCH_PATH = 'set local search_path = "$user", public, extensions';

/** Brings the database up to date. Forward only; servers that start at once wait for each other. */
export async function migrate(plan: MigrationPlan): Promise<{ applied: string[] }> {
  const client = new pg.Client({ connectionString: plan.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(RECORDS);
    const applied = [
      ...(await applyNew(client, plan.platform, PLATFORM)),
      ...(await inTransaction(client, () => moveToReplacement(client, plan))),
      ...(await applyNew(client, plan.project, PROJECT)),
      ...(await applyNew(client, plan.seeds, SEEDS)),
    ];
    await setPassword(client, authenticatorPassword(plan.url));
    return { applied };
  } finally {
    await client.end();
  }
}

/** Which migrations a database has seen: names of the platform's, versions of the project's. */
export type Recorded = Readonly<{ platform: readonly string[]; project: readonly string[] }>;

export class UnknownMigrationsError extends Error {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    super(`These migrations are not known here: ${names.join(', ')}`);
    this.name = 'UnknownMigrationsError';
    this.names = names;
  }
}

/** Throws UnknownMigrationsError where the plan cannot lead to what was recorded. */
export function checkRecorded(plan: MigrationPlan, recorded: Recorded): void {
  const project = [...plan.project, ...(plan.replaced?.scripts ?? [])].map(({ name }) => versionOf(name));
  const known = new Set([...plan.platform.map(({ name }) => name), ...project]);
  const unknown = [...recorded.platform, ...recorded.project].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new UnknownMigrationsError(unknown);
}

/**
 * Makes the schema of a database that had seen exactly `recorded`, in the transaction that is open on `client`. The
 * records themselves are left to whoever fills the tables.
 */
export async function rebuild(client: pg.Client, plan: MigrationPlan, recorded: Recorded): Promise<void> {
  checkRecorded(plan, recorded);
  const platform = plan.platform.filter(({ name }) => recorded.platform.includes(name));
  const project = plan.project.filter(({ name }) => recorded.project.includes(versionOf(name)));
  const { replaced } = plan;
  const earlier = replaced !== undefined && namesReplaced(replaced, recorded.project) ? replaced.scripts : [];
  await client.query(RECORDS);
  for (const script of [
    ...(await readScripts(platform)),
    ...earlier.filter(({ name }) => recorded.project.includes(versionOf(name))),
    ...(await readScripts(project)),
  ]) {
    await client.query(SEARCH_PATH);
    await runScript(client, script);
  }
}

/**
 * Applies what is missing of the project's migrations, recorded as upstream's command line does, in the transaction
 * that is open on `client`. For a database whose platform is somebody else's. Throws UnknownMigrationsError where it is
 * ahead of us.
 */
export async function applyProject(client: pg.Client, plan: MigrationPlan): Promise<string[]> {
  await client.query(PROJECT_RECORDS);
  checkRecorded(plan, { platform: [], project: [...(await readLedger(client, PROJECT))] });
  const completed = await moveToReplacement(client, plan);
  const known = await readLedger(client, PROJECT);
  const fresh = await readScripts(plan.project.filter(({ name }) => !known.has(versionOf(name))));
  for (const script of fresh) await runAndRecord(client, script);
  return [...completed, ...fresh.map(({ name }) => name)];
}

/**
 * Where a database has seen earlier migrations that were replaced: applies those of them that are missing, and then
 * records the replacement as applied instead, without running it, in the transaction that is open on `client`. Returns
 * the names of the applied ones.
 */
async function moveToReplacement(client: pg.Client, { replaced, project }: MigrationPlan): Promise<string[]> {
  const known = await readLedger(client, PROJECT);
  if (replaced === undefined || !namesReplaced(replaced, [...known])) return [];
  const missing = replaced.scripts.filter(({ name }) => !known.has(versionOf(name)));
  for (const script of missing) await runAndRecord(client, script);
  const absent = await client.query<{ name: string }>(ABSENT, [replaced.objects]);
  if (absent.rows.length > 0)
    throw new Error(`Recorded migrations, but no ${absent.rows.map(({ name }) => name).join(', ')} in the database`);
  await client.query(FORGET, [replaced.scripts.map(({ name }) => versionOf(name))]);
  for (const { name, sql } of await readScripts(project.filter(({ name }) => replaced.by.includes(versionOf(name)))))
    await client.query(PROJECT.record, PROJECT.values(name, sql));
  return missing.map(({ name }) => name);
}

const ABSENT = `
  select name from unnest($1::text[]) as name
  where case when name like '%(%' then to_regprocedure(name) is null else to_regclass(name) is null end`;
const FORGET = 'delete from supabase_migrations.schema_migrations where version = any ($1)';

/** Not where the replacement is recorded as well: then the earlier versions are only left over. */
function namesReplaced({ scripts, by }: ReplacedMigrations, recorded: readonly string[]): boolean {
  return (
    scripts.some(({ name }) => recorded.includes(versionOf(name))) && !by.some((version) => recorded.includes(version))
  );
}

/** Those of the plan that a database with these records has not seen. */
export function missingIn(plan: MigrationPlan, recorded: Pick<Recorded, 'project'>): string[] {
  return plan.project.map(({ name }) => name).filter((name) => !recorded.project.includes(versionOf(name)));
}

const CONCURRENTLY_UPDATED = 'XX000';
const PASSWORD_ATTEMPTS = 20;

/**
 * Roles belong to the cluster, our lock to one database: a server on another one may set the password at this moment.
 */
async function setPassword(client: pg.Client, password: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(`alter role authenticator password ${pg.escapeLiteral(password)}`);
      return;
    } catch (error) {
      const collided = error instanceof pg.DatabaseError && error.code === CONCURRENTLY_UPDATED;
      if (!collided || attempt === PASSWORD_ATTEMPTS) throw error;
    }
  }
}

export async function sqlFiles(folder: string): Promise<SqlFile[]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return names.map((name) => ({ name, file: path.join(folder, name) }));
}

const PROJECT_RECORDS = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[],
    name text);`;

const RECORDS = `
  create schema if not exists _backend;
  create table if not exists _backend.platform_migrations (name text primary key,
    applied_at timestamptz not null default now());
  ${PROJECT_RECORDS}
  create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null);`;

type Ledger = Readonly<{
  known: string;
  key: (name: string) => string;
  record: string;
  values: (name: string, sql: string) => string[];
}>;

const PLATFORM: Ledger = {
  known: 'select name as key from _backend.platform_migrations',
  key: (name) => name,
  record: 'insert into _backend.platform_migrations (name) values ($1)',
  values: (name) => [name],
};

const PROJECT: Ledger = {
  known: 'select version as key from supabase_migrations.schema_migrations',
  key: versionOf,
  record: 'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, array[$3])',
  values: (name, sql) => [versionOf(name), name.replace(/^\d+_/, '').replace(/\.sql$/, ''), sql],
};

const SEEDS: Ledger = {
  known: 'select path as key from supabase_migrations.seed_files',
  key: (name) => name,
  record: 'insert into supabase_migrations.seed_files (path, hash) values ($1, $2)',
  values: (name, sql) => [name, createHash('sha256').update(sql).digest('hex')],
};

function versionOf(name: string): string {
  return /^\d+/.exec(name)?.[0] ?? name;
}

async function applyNew(client: pg.Client, files: readonly SqlFile[], ledger: Ledger): Promise<string[]> {
  const known = await readLedger(client, ledger);
  const fresh = files.filter((file) => !known.has(ledger.key(file.name)));
  for (const file of fresh) await applyOne(client, file, ledger);
  return fresh.map((file) => file.name);
}

async function readLedger(client: pg.Client, ledger: Ledger): Promise<Set<string>> {
  const { rows } = await client.query<{ key: string }>(ledger.known);
  return new Set(rows.map(({ key }) => key));
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

function readScripts(files: readonly SqlFile[]): Promise<SqlScript[]> {
  return Promise.all(files.map(async ({ name, file }) => ({ name, sql: await readFile(file, 'utf8') })));
}

/** In the transaction that is open on `client`. */
async function runScript(client: pg.Client, { name, sql }: SqlScript): Promise<void> {
  await client.query(sql).catch((cause: unknown) => {
    throw migrationFailed(name, cause);
  });
  // A migration may leave settings behind (search_path, role) that must not reach the next one.
  await client.query('reset role; reset all');
}

async function runAndRecord(client: pg.Client, script: SqlScript): Promise<void> {
  await runScript(client, script);
  await client.query(PROJECT.record, PROJECT.values(script.name, script.sql));
}

async function applyOne(client: pg.Client, { name, file }: SqlFile, ledger: Ledger): Promise<void> {
  const sql = await readFile(file, 'utf8');
  try {
    await inTransaction(client, async () => {
      await client.query(SEARCH_PATH);
      await client.query(sql);
      await client.query('reset role');
      await client.query(ledger.record, ledger.values(name, sql));
    });
  } catch (cause) {
    throw migrationFailed(name, cause);
  } finally {
    // A migration may leave settings behind (search_path, role) that must not reach the next one.
    await client.query('reset role; reset all');
  }
}

function migrationFailed(name: string, cause: unknown): Error {
  return new Error(`Migration ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
