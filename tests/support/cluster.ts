import path from 'node:path';
import { startCluster } from '#backend/database/index.ts';
import { CLUSTER_VARIABLE, createTemplate } from './database.ts';
import { makeRunFolder, RUN_FOLDER_VARIABLE } from './run-folder.ts';

/**
 * Global set-up of vitest and Playwright: one PostgreSQL for the whole run; each worker makes databases of its own in
 * it.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await makeRunFolder();
  process.env[RUN_FOLDER_VARIABLE] = folder.path;
  // Workers, and the programs they start, inherit both.
  if (folder.inMemory) process.env['TMPDIR'] = folder.path;
  process.env['NODE_COMPILE_CACHE'] ??= path.join(folder.path, 'compiled');
  const cluster = await startCluster({ folder: path.join(folder.path, 'cluster'), durable: false });
  process.env[CLUSTER_VARIABLE] = cluster.url('postgres');
  await createTemplate(cluster.url('postgres'));
  return async () => {
    await cluster.stop();
    await folder.remove();
  };
}
