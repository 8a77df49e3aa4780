import pg from 'pg';

/** Tables up to this size are rewritten in moments; larger ones would be locked for too long. */
const REWRITTEN_BYTES = 64 * 1024 * 1024;
const LOCK_PATIENCE_MS = 2_000;

const TABLES = `select format('%I.%I', n.nspname, c.relname) as name, pg_total_relation_size(c.oid) <= $1 as small
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence = 'p'
    and (n.nspname !~ '^(pg_|information_schema$)' or c.oid = 'pg_catalog.pg_statistic'::regclass)`;

/**
 * What was deleted goes from the disk too: PostgreSQL leaves the bytes of deleted rows where they are until it needs the place,
 * and keeps a log of all changes. Small tables are rewritten, large ones swept, and the log begins anew. Needs the cluster's
 * superuser. Throws where a table stays locked.
 */
export async function compact(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`set lock_timeout = ${LOCK_PATIENCE_MS}`);
    const tables = await client.query<{ name: string; small: boolean }>(TABLES, [REWRITTEN_BYTES]);
    for (const { name, small } of tables.rows) await client.query(small ? `vacuum (full) ${name}` : `vacuum ${name}`);
    await client.query('select pg_switch_wal()');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
