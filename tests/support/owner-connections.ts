import pg from 'pg';
import { CLUSTER_VARIABLE } from './database.ts';

/**
 * Connections as the owner, reused by all tests of a worker. A new connection costs a PostgreSQL process, and its first
 * statements are slow because they are planned and their triggers are compiled.
 */
const pools = new Map<string, pg.Pool>();
const IDLE_TIMEOUT_MS = 2_000;

/** Undoes what a statement can leave behind in its session. */
const RESET = 'rollback; reset role; reset all; unlisten *; discard temp; select pg_advisory_unlock_all()';

/** Only the run's own PostgreSQL stays up for all of it; those that a test starts have connections of their own. */
export function isShared(databaseUrl: string): boolean {
  const cluster = process.env[CLUSTER_VARIABLE];
  return cluster !== undefined && new URL(cluster).search === new URL(databaseUrl).search;
}

export async function withSharedClient<T>(
  databaseUrl: string,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await getPool(databaseUrl).connect();
  let usable = false;
  try {
    const done = await work(client);
    await client.query(RESET);
    usable = true;
    return done;
  } finally {
    client.release(!usable);
  }
}

function getPool(connectionString: string): pg.Pool {
  const known = pools.get(connectionString);
  if (known !== undefined) return known;
  const pool = new pg.Pool({ connectionString, max: 50, idleTimeoutMillis: IDLE_TIMEOUT_MS, allowExitOnIdle: true });
  // A dropped database ends them.
  pool.on('error', () => undefined);
  pools.set(connectionString, pool);
  return pool;
}
