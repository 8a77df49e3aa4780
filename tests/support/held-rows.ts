import pg from 'pg';
import { expect, vi } from 'vitest';

export type HeldRows = Readonly<{
  /** Resolves once so many transactions wait for the rows, directly or one behind the other. */
  waitFor: (transactions: number) => Promise<void>;
  query: (sql: string, params: readonly unknown[]) => Promise<unknown>;
  /** Commits what `query` did. */
  release: () => Promise<void>;
}>;

/** The transactions of this test's database that wait: others share its cluster, and the numbers of its tables. */
export const WAITING = `select from pg_locks where not granted and pid in (
  select pid from pg_locks where database = (select oid from pg_database where datname = current_database()))`;

/** Those that wait for this connection. */
export const BLOCKED = 'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';

/** Locks rows on a connection of its own; `rows` ends in the column that is compared: `auth.users where id`. */
export async function holdRows(databaseUrl: string, rows: string, id: string): Promise<HeldRows> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  // A test that fails leaves it to the end of its database.
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('begin');
  await holder.query(`select from ${rows} = $1 for update`, [id]);
  return {
    waitFor: (count) => vi.waitFor(async () => expect((await holder.query(WAITING)).rows).toHaveLength(count)),
    query: (sql, params) => holder.query(sql, [...params]),
    release: async () => {
      await holder.query('commit');
      await holder.end();
    },
  };
}
