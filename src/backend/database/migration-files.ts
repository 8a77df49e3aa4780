import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';

/** `name` is the file's name without folder; files apply in its order. */
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

export type SqlScript = Readonly<{ name: string; sql: string }>;

/** Migrations that others replace. Databases and backups may still name them. */
export type ReplacedMigrations = Readonly<{
  /** In the order in which they apply. */
  scripts: readonly SqlScript[];
  /** Versions of the migrations that make the same schema. */
  by: readonly string[];
  /** Tables and functions (with their argument types) that show that the schema is there. */
  objects: readonly string[];
  /** Versions that were taken back: what they made is also in those that stayed. */
  gone: readonly string[];
}>;

const SET = z.strictObject({
  by: z.array(z.string()).min(1),
  objects: z.array(z.string()).min(1),
  gone: z.array(z.string()).default([]),
});
const SCRIPTS = z.record(z.string(), z.string());

/** Reads `set.json` and `migrations.json.gz` (file name → SQL) of the folder; undefined where it does not exist. */
export async function readReplaced(folder: string): Promise<ReplacedMigrations | undefined> {
  if (!existsSync(folder)) return undefined;
  const set = SET.parse(JSON.parse(await readFile(path.join(folder, 'set.json'), 'utf8')));
  const packed = await readFile(path.join(folder, 'migrations.json.gz'));
  const files = SCRIPTS.parse(JSON.parse((await promisify(gunzip)(packed)).toString()));
  const scripts = Object.entries(files).map(([name, sql]) => ({ name, sql }));
  return { ...set, scripts: scripts.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

export async function listSqlFiles(folder: string): Promise<SqlFile[]> {
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return names.map((name) => ({ name, file: path.join(folder, name) }));
}

export function readScripts(files: readonly SqlFile[]): Promise<SqlScript[]> {
  return Promise.all(files.map(async ({ name, file }) => ({ name, sql: await readFile(file, 'utf8') })));
}

export function getVersion(name: string): string {
  return /^\d+/.exec(name)?.[0] ?? name;
}

/** The migrations of a database: names of the platform's, versions of the project's. */
export type Recorded = Readonly<{ platform: readonly string[]; project: readonly string[] }>;

export class UnknownMigrationsError extends Error {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    super(`These migrations are not known here: ${names.join(', ')}`);
    this.name = 'UnknownMigrationsError';
    this.names = names;
  }
}

/** Throws UnknownMigrationsError for a recorded migration that the plan does not have. */
export function checkRecorded(plan: MigrationPlan, recorded: Recorded): void {
  const project = [...plan.project, ...(plan.replaced?.scripts ?? [])].map(({ name }) => getVersion(name));
  const known = new Set([...plan.platform.map(({ name }) => name), ...project, ...(plan.replaced?.gone ?? [])]);
  const unknown = [...recorded.platform, ...recorded.project].filter((name) => !known.has(name));
  if (unknown.length > 0) throw new UnknownMigrationsError(unknown);
}

export class EarlierDatabaseError extends Error {
  constructor(missing: readonly string[]) {
    super(`The server has to upgrade the database first: ${missing.join(', ')}`);
    this.name = 'EarlierDatabaseError';
  }
}

/** Throws EarlierDatabaseError where the database is there and lacks a migration of the plan. */
export function refuseUpgrade(plan: MigrationPlan, recorded: Recorded): void {
  const platform = plan.platform.map(({ name }) => name).filter((name) => !recorded.platform.includes(name));
  const missing = [...platform, ...listMissing(plan, recorded)];
  if (recorded.platform.length > 0 && missing.length > 0) throw new EarlierDatabaseError(missing);
}

/** Lists the migrations of the plan that are not recorded. */
export function listMissing(plan: MigrationPlan, recorded: Pick<Recorded, 'project'>): string[] {
  return plan.project.map(({ name }) => name).filter((name) => !recorded.project.includes(getVersion(name)));
}

/** False where the replacement is recorded too, which leaves the earlier versions without effect. */
export function isReplacedSet({ scripts, by }: ReplacedMigrations, recorded: readonly string[]): boolean {
  return (
    scripts.some(({ name }) => recorded.includes(getVersion(name))) && !by.some((version) => recorded.includes(version))
  );
}
