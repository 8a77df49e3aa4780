import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';

export type SqlScript = Readonly<{ name: string; sql: string }>;

/** Migrations whose files are gone because others make the same schema. Databases and backups may still name them. */
export type ReplacedMigrations = Readonly<{
  /** In the order in which they apply. */
  scripts: readonly SqlScript[];
  /** Versions of the migrations that make the same schema. */
  by: readonly string[];
  /** Tables and functions (with their argument types) that show that the schema is there. */
  objects: readonly string[];
}>;

const SET = z.strictObject({ by: z.array(z.string()).min(1), objects: z.array(z.string()).min(1) });
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
