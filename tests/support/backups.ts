import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterEach } from 'vitest';
import { formatName, qualifyName, readSequences, findTables } from '#backend/database/tables.ts';
import type { Manifest } from '#server/backup/archive/manifest.ts';
import { openForFilling, openForReading } from '#server/backup/installation.ts';
import { restoreBackup, type Restored } from '#server/backup/restore-backup.ts';
import { runCommand } from '#server/backup/run.ts';
import { takeBackup } from '#server/backup/take-backup.ts';
import { readEnv } from '#server/env.ts';
import { asOwner } from './callers.ts';
import { createDatabase } from './database.ts';
import { runFile, type Finished } from './processes.ts';

export type Environment = Readonly<Record<string, string>>;

/** `npm run backup -- FILE` and `npm run restore -- FILE` as processes of their own. */
export function command(verb: 'backup' | 'restore', env: Environment, ...args: string[]): Promise<Finished> {
  return runFile('src/server/backup/cli.ts', [verb, ...args], { ...env });
}

/** The same in this process: for tests whose subject is what it does and says, not how it ends. */
export async function commandHere(verb: 'backup' | 'restore', env: Environment, ...args: string[]): Promise<Finished> {
  const said = { out: '', err: '' };
  const code = await runCommand([verb, ...args], {
    variables: { ...env },
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    signal: new AbortController().signal,
  });
  return { code, ...said };
}

/** The work itself, without words. */
export async function backUp(env: Environment, file: string, signal = new AbortController().signal): Promise<Manifest> {
  const installation = await openForReading(readEnv(env), env);
  try {
    return await takeBackup(installation, file, { signal, out: () => undefined });
  } finally {
    await installation.close();
  }
}

export function putBack(
  env: Environment,
  file: string,
  signal = new AbortController().signal,
): Promise<Restored | undefined> {
  return restoreBackup({ file, signal, mails: 'as they were', open: () => openForFilling(readEnv(env), env) });
}

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-backup-'));
  cleanUps.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty database and an empty data folder, gone after the test. */
export async function emptyInstallation(): Promise<Environment & { DATA_DIR: string; DATABASE_URL: string }> {
  const { url, drop } = await createDatabase();
  cleanUps.push(drop);
  return { DATA_DIR: path.join(await temporaryFolder(), 'data'), DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'silent' };
}

export type Contents = Readonly<Record<string, readonly string[]>>;

/** Every row of every table as text, and where every sequence stands. */
export function getContents(databaseUrl: string): Promise<Contents> {
  return asOwner(databaseUrl, async (client) => {
    await client.query(`set timezone = 'UTC'`);
    const contents: Record<string, string[]> = {};
    for (const table of await findTables(client)) {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${qualifyName(table)} as t order by t::text collate "C"`,
      );
      contents[formatName(table)] = rows.map(({ row }) => row);
    }
    for (const { value, called, ...sequence } of await readSequences(client)) {
      contents[formatName(sequence)] = [value, String(called)];
    }
    return contents;
  });
}

const RULES = `
  select format('%s.%s %s', schemaname, indexname, indexdef) as rule from pg_indexes where schemaname !~ '^pg_'
  union all select format('%s %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated)
    from pg_constraint where conrelid <> 0 and connamespace::regnamespace::text !~ '^(pg_|information_schema)'
  union all select format('%s %s %s', tgrelid::regclass, tgname, tgenabled) from pg_trigger where not tgisinternal
  union all select format('%s.%s %s', attrelid::regclass, attname, attstattarget) from pg_attribute
    where attstattarget >= 0
  order by 1`;

/** Every index, constraint and trigger, and what statistics are kept of less than usual. */
export async function getRules(databaseUrl: string): Promise<unknown[]> {
  return (await sql(databaseUrl, RULES)).map(({ rule }) => rule);
}

/** sha256 of every file below a folder, by its path in it. */
export async function computeSums(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const sums = files.map(async (file) => {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    return [path.relative(folder, file), hash.digest('hex')] as const;
  });
  return Object.fromEntries((await Promise.all(sums)).toSorted(([a], [b]) => a.localeCompare(b)));
}

export async function sql(
  databaseUrl: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  return asOwner(databaseUrl, async (client) => (await client.query(text, values)).rows);
}
