import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startCluster } from '#backend/database/index.ts';
import { CLUSTER_VARIABLE, createTemplate } from './database.ts';

/** Global set-up of vitest and Playwright: one PostgreSQL for the whole run; each worker makes databases of its own in it. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-tests-'));
  const cluster = await startCluster({ folder, durable: false });
  process.env[CLUSTER_VARIABLE] = cluster.url('postgres');
  await createTemplate(cluster.url('postgres'));
  return async () => {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
