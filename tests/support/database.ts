import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readProjectConfig } from '#backend/config.ts';
import { migrate } from '#backend/database/index.ts';
import { migrationPlan } from '#backend/migration-plan.ts';

export type TestDatabase = Readonly<{ url: string; drop: () => Promise<void> }>;

/** How the run's set-up tells its workers where the PostgreSQL is. */
export const CLUSTER_VARIABLE = 'TEST_CLUSTER_URL';

/** A statement that changes the migrated schema before the tests see it: `npm run mutate` looks whether one notices. */
export const MUTATION_VARIABLE = 'TEST_SCHEMA_MUTATION';

const TEMPLATE = 'migrated';

/** Made once a run, so that not every server of every test has to bring its database up to date. */
export async function createTemplate(clusterUrl: string): Promise<void> {
  await admin(clusterUrl, `create database ${TEMPLATE}`);
  const folder = fileURLToPath(new URL('../../supabase/', import.meta.url));
  const config = await readProjectConfig(folder, {}, () => undefined);
  await migrate(await migrationPlan(folder, config, at(clusterUrl, TEMPLATE)));
  const mutation = process.env[MUTATION_VARIABLE] ?? '';
  if (mutation !== '') await admin(at(clusterUrl, TEMPLATE), mutation);
}

/**
 * A database of its own in the run's PostgreSQL: empty, or as a server of this version leaves it at its first start.
 */
export async function createDatabase(kind: 'empty' | 'migrated' = 'empty'): Promise<TestDatabase> {
  const clusterUrl = process.env[CLUSTER_VARIABLE] ?? '';
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = kind === 'migrated' ? TEMPLATE : 'template1';
  // By files: the copy does not go through the log of changes, which nobody reads here.
  await getPool(clusterUrl).query(`create database ${name} template ${template} strategy file_copy`);
  const drop = async (): Promise<void> => void (await getPool(clusterUrl).query(`drop database ${name} with (force)`));
  return { url: at(clusterUrl, name), drop };
}

let pool: pg.Pool | undefined;

/** A connection takes as long as half of a copy, so a worker keeps its own. It keeps no process alive. */
function getPool(clusterUrl: string): pg.Pool {
  if (pool?.options.connectionString === clusterUrl) return pool;
  pool = new pg.Pool({ connectionString: clusterUrl, max: 3, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // The end of the run ends it.
  pool.on('error', () => undefined);
  return pool;
}

function at(clusterUrl: string, database: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function admin(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
