import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readProjectConfig } from '#backend/config.ts';
import { readReplaced, type MigrationPlan } from '#backend/database/index.ts';
import { migrationPlan } from '#backend/migration-plan.ts';

const PROJECT = path.resolve('supabase');

/** The set of migrations that those of today have replaced. */
export async function readReplacedSet() {
  const replaced = await readReplaced(path.join(PROJECT, 'replaced'));
  if (replaced === undefined) throw new Error('supabase/replaced is missing');
  return replaced;
}

/** The plan of a server of today. */
export async function currentPlan(url: string): Promise<MigrationPlan> {
  return migrationPlan(PROJECT, await readProjectConfig(PROJECT, {}), url);
}

/** Makes a project folder as it was when the first `count` of the replaced migrations were all there were. */
export async function writeEarlierProject(folder: string, count: number): Promise<string> {
  await mkdir(path.join(folder, 'migrations'), { recursive: true });
  await cp(path.join(PROJECT, 'config.toml'), path.join(folder, 'config.toml'));
  const { scripts } = await readReplacedSet();
  for (const { name, sql } of scripts.slice(0, count)) await writeFile(path.join(folder, 'migrations', name), sql);
  return folder;
}
