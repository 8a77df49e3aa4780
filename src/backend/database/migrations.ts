import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { isStoppedByLock } from './connection-errors.ts';
import { withClient } from './connections.ts';
import { deriveAuthenticatorPassword } from './database.ts';
import {
  checkRecorded,
  getVersion,
  isReplacedSet,
  readScripts,
  refuseUpgrade,
  type MigrationPlan,
  type Recorded,
  type SqlFile,
  type SqlScript,
} from './migration-files.ts';
import { requireVersion } from './version.ts';

// Every server on this database uses the same number.
const MIGRATION_LOCK = 7_236_091;

/** Finds crypt() and uuid_generate_v4() without their schema, as upstream does. */
const SEARCH_PATH = 'set local search_path = "$user", public, extensions';

/**
 * Applies what is missing, forward only. Servers that start together wait for each other. Throws UnknownMigrationsError
 * where the database knows migrations that the plan does not (a newer version has worked on it), OldDatabaseError where
 * PostgreSQL is too old. With `upgrade: false` a new database is made, but EarlierDatabaseError thrown where one of an
 * earlier version is there. One that a server of an earlier version stops by its locks is tried again (decision 0428).
 */
export async function migrate(
  plan: MigrationPlan,
  { upgrade = true, onStopped = ignore }: Options = {},
): Promise<{ applied: string[] }> {
  return withClient(plan.url, async (client) => {
    await requireVersion(client);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(RECORDS);
    const recorded = await readRecorded(client);
    checkRecorded(plan, recorded);
    if (!upgrade) refuseUpgrade(plan, recorded);
    const attempt: Attempt = (work) => untilUnlocked(work, onStopped);
    const applied = [
      ...(await applyNew(client, plan.platform, PLATFORM, attempt)),
      ...(await attempt(() => inTransaction(client, () => moveToReplacement(client, plan)))),
      ...(await applyNew(client, plan.project, PROJECT, attempt)),
      ...(await applyNew(client, plan.seeds, SEEDS, attempt)),
    ];
    await setPassword(client, deriveAuthenticatorPassword(plan.url));
    return { applied };
  });
}

type Options = Readonly<{ upgrade?: boolean | undefined; onStopped?: (message: string) => void }>;
type Attempt = <T>(work: () => Promise<T>) => Promise<T>;

const ignore = (): void => undefined;

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 800;

async function untilUnlocked<T>(work: () => Promise<T>, onStopped: (message: string) => void): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      return await work();
    } catch (error) {
      const stopped = error instanceof Error && isStoppedByLock(error.cause);
      if (!stopped || pauseMs > LONGEST_PAUSE_MS) throw error;
      onStopped(error.message);
      await wait(pauseMs);
    }
  }
}

/**
 * Makes the schema that exactly the `recorded` migrations make, in the transaction that is open on `client`. The caller
 * fills the tables of records.
 */
export async function rebuild(client: pg.Client, plan: MigrationPlan, recorded: Recorded): Promise<void> {
  checkRecorded(plan, recorded);
  const platform = plan.platform.filter(({ name }) => recorded.platform.includes(name));
  const project = plan.project.filter(({ name }) => recorded.project.includes(getVersion(name)));
  const { replaced } = plan;
  const earlier = replaced !== undefined && isReplacedSet(replaced, recorded.project) ? replaced.scripts : [];
  await client.query(RECORDS);
  for (const script of [
    ...(await readScripts(platform)),
    ...earlier.filter(({ name }) => recorded.project.includes(getVersion(name))),
    ...(await readScripts(project)),
  ]) {
    await client.query(SEARCH_PATH);
    await runScript(client, script);
  }
}

/**
 * Applies the missing migrations of the project, recorded as upstream's command line does, in the transaction that is
 * open on `client`. For a hosted database, which has its own platform. Throws UnknownMigrationsError where the database
 * knows migrations that the plan does not.
 */
export async function applyProject(client: pg.Client, plan: MigrationPlan): Promise<string[]> {
  await client.query(PROJECT_RECORDS);
  checkRecorded(plan, { platform: [], project: [...(await readLedger(client, PROJECT))] });
  const completed = await moveToReplacement(client, plan);
  const known = await readLedger(client, PROJECT);
  const missing = await readScripts(plan.project.filter(({ name }) => !known.has(getVersion(name))));
  for (const script of missing) await runAndRecord(client, script);
  return [...completed, ...missing.map(({ name }) => name)];
}

/**
 * Forgets migrations that are gone. For a database with earlier ones that were replaced: applies the missing ones of
 * them and records the replacement as applied, without running it. Works in the transaction that is open on `client`.
 * Returns the applied names.
 */
async function moveToReplacement(client: pg.Client, { replaced, project }: MigrationPlan): Promise<string[]> {
  if (replaced === undefined) return [];
  await client.query(FORGET, [replaced.gone]);
  const known = await readLedger(client, PROJECT);
  if (!isReplacedSet(replaced, [...known])) return [];
  const missing = replaced.scripts.filter(({ name }) => !known.has(getVersion(name)));
  for (const script of missing) await runAndRecord(client, script);
  const absent = await client.query<{ name: string }>(ABSENT, [replaced.objects]);
  if (absent.rows.length > 0)
    throw new Error(`Recorded migrations, but no ${absent.rows.map(({ name }) => name).join(', ')} in the database`);
  await client.query(FORGET, [replaced.scripts.map(({ name }) => getVersion(name))]);
  for (const { name, sql } of await readScripts(project.filter(({ name }) => replaced.by.includes(getVersion(name)))))
    await client.query(PROJECT.record, PROJECT.values(name, sql));
  return missing.map(({ name }) => name);
}

const ABSENT = `
  select name from unnest($1::text[]) as name
  where case when name like '%(%' then to_regprocedure(name) is null else to_regclass(name) is null end`;
const FORGET = 'delete from supabase_migrations.schema_migrations where version = any ($1)';

const CONCURRENTLY_UPDATED = 'XX000';
const PASSWORD_ATTEMPTS = 20;

/** Repeats where it collides: roles belong to the cluster, and a server on another database does not share the lock. */
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
  key: getVersion,
  record: 'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, array[$3])',
  values: (name, sql) => [getVersion(name), name.replace(/^\d+_/, '').replace(/\.sql$/, ''), sql],
};

const SEEDS: Ledger = {
  known: 'select path as key from supabase_migrations.seed_files',
  key: (name) => name,
  record: 'insert into supabase_migrations.seed_files (path, hash) values ($1, $2)',
  values: (name, sql) => [name, createHash('sha256').update(sql).digest('hex')],
};

async function applyNew(
  client: pg.Client,
  files: readonly SqlFile[],
  ledger: Ledger,
  attempt: Attempt,
): Promise<string[]> {
  const known = await readLedger(client, ledger);
  const missing = files.filter((file) => !known.has(ledger.key(file.name)));
  for (const file of missing) await attempt(() => applyOne(client, file, ledger));
  return missing.map((file) => file.name);
}

async function readLedger(client: pg.Client, ledger: Ledger): Promise<Set<string>> {
  const { rows } = await client.query<{ key: string }>(ledger.known);
  return new Set(rows.map(({ key }) => key));
}

async function readRecorded(client: pg.Client): Promise<Recorded> {
  return { platform: [...(await readLedger(client, PLATFORM))], project: [...(await readLedger(client, PROJECT))] };
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
