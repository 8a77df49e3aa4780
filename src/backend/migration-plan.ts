import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProjectConfig } from './config.ts';
import { readReplaced, listSqlFiles, type MigrationPlan, type SqlFile } from './database/index.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SERVICE_SCHEMAS = ['database/platform', 'auth/schema', 'storage/schema'];

/** All SQL files of this backend and of the project in `folder`. */
export async function migrationPlan(folder: string, config: ProjectConfig, url: string): Promise<MigrationPlan> {
  const platform = await Promise.all(SERVICE_SCHEMAS.map(serviceFiles));
  const seeds = config.db.seed.enabled
    ? await Promise.all(config.db.seed.sql_paths.map((glob) => seedFiles(folder, glob)))
    : [];
  return {
    url,
    platform: platform.flat(),
    project: await listSqlFiles(path.join(folder, 'migrations')),
    replaced: await readReplaced(path.join(folder, 'replaced')),
    seeds: seeds.flat(),
  };
}

async function serviceFiles(folder: string): Promise<SqlFile[]> {
  const files = await listSqlFiles(path.join(HERE, folder));
  return files.map((file) => ({ ...file, name: `${folder}/${file.name}` }));
}

/** Expands `./seed.sql` or `./seeds/*.sql`; as upstream, a pattern without a match is no error. */
async function seedFiles(folder: string, pattern: string): Promise<SqlFile[]> {
  const directory = path.resolve(folder, path.dirname(pattern));
  const names = await readdir(directory).catch(() => []);
  const matching = names.filter((name) => path.matchesGlob(name, path.basename(pattern))).toSorted();
  return matching.map((name) => ({ name: path.join(path.dirname(pattern), name), file: path.join(directory, name) }));
}
