import pg from 'pg';
import { withClient } from './connections.ts';

/** Tables up to this size are rewritten in moments; larger ones would be locked for too long. */
const REWRITTEN_BYTES = 64 * 1024 * 1024;
const LOCK_TIMEOUT_MS = 2_000;
/** Waiting for a lock blocks all later requests, so it tries again instead of waiting longer. */
const TRIES = 3;
const LOCKED = '55P03';

const TABLES = `select format('%I.%I', n.nspname, c.relname) as name, pg_total_relation_size(c.oid) <= $1 as small
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence = 'p'
    and (n.nspname !~ '^(pg_|information_schema$)' or c.oid = 'pg_catalog.pg_statistic'::regclass)`;

type Found = Readonly<{ name: string; small: boolean }>;

/**
 * Removes deleted rows from the disk. PostgreSQL leaves their bytes until it needs the space, and keeps a log of all
 * changes: this rewrites small tables, vacuums large ones and starts a new log. Needs the cluster's superuser. Throws
 * where a table stays locked.
 */
export async function compact(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const tables = await client.query<Found>(TABLES, [REWRITTEN_BYTES]);
    let left: readonly Found[] = tables.rows;
    for (let tries = 0; tries < TRIES && left.length > 0; tries += 1) left = await rewrite(client, left);
    await client.query('select pg_switch_wal()');
    await client.query('checkpoint');
    if (left.length > 0) throw new Error(`tables in use: ${left.map(({ name }) => name).join(', ')}`);
  });
}

/** Returns the tables that are locked. */
async function rewrite(client: pg.Client, tables: readonly Found[]): Promise<Found[]> {
  const locked: Found[] = [];
  for (const table of tables) {
    await client.query(table.small ? `vacuum (full) ${table.name}` : `vacuum ${table.name}`).catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError && error.code === LOCKED)) throw error;
      locked.push(table);
    });
  }
  return locked;
}
