import type { Writable } from 'node:stream';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import { withClient } from './connections.ts';
import type { MigrationPlan, Recorded } from './migration-files.ts';
import { rebuild } from './migrations.ts';
import { findTables, openPages, qualifyName, quoteName, type Sequence, type Table } from './tables.ts';
import { PLAIN_TEXT } from './snapshot.ts';

/**
 * Makes the schema of the recorded migrations and lets `work` fill it in one transaction: after a failure or a crash
 * the database is still empty. `url` connects as its owner, who need not be a superuser.
 */
export async function loadDatabase<T>(
  url: string,
  schema: Readonly<{ plan: MigrationPlan; recorded: Recorded }>,
  work: (loading: Loading) => Promise<T>,
): Promise<T> {
  // A transaction that is not committed ends with the connection.
  return withClient(url, async (client) => {
    await client.query('begin');
    await rebuild(client, schema.plan, schema.recorded);
    await client.query(PLAIN_TEXT);
    const result = await work(await createLoading(client));
    await client.query('commit');
    return result;
  });
}

/** The database has no tables. */
export function isEmptyDatabase(url: string): Promise<boolean> {
  return withClient(url, async (client) => (await findTables(client)).length === 0);
}

/** A database that one transaction fills: other connections see it when it is complete. */
async function createLoading(client: pg.Client) {
  const tables = await findTables(client);
  const restore = await dropConstraints(client, tables);
  return {
    /** The tables of the recorded migrations. */
    tables,
    /** Takes PostgreSQL's text format; `rows` counts once it has finished. */
    copyIn: (table: Table): Readonly<{ sink: Writable; rows: () => number }> => {
      const columns = table.columns.map(quoteName).join(', ');
      const sink = client.query(from(`copy ${qualifyName(table)} (${columns}) from stdin with (freeze)`));
      return { sink, rows: () => sink.rowCount };
    },
    /**
     * Restores sequences, checks, indexes, foreign keys and triggers one by one, until the signal aborts. Throws where
     * a row breaks a key.
     */
    complete: async (sequences: readonly Sequence[], signal: AbortSignal): Promise<void> => {
      for (const { schema, name, value, called } of sequences) {
        await client.query('select setval($1::regclass, $2, $3)', [qualifyName({ schema, name }), value, called]);
      }
      for (const sql of restore) {
        signal.throwIfAborted();
        await client.query(sql);
      }
    },
    /** Reads a copy of the answer in pages, as a table that is being read cannot be altered. Only once. */
    pages: async <Row extends pg.QueryResultRow>(sql: string): Promise<AsyncGenerator<Row[]>> => {
      const numbered = `select row_number() over () as place, rows.* from (${sql}) as rows`;
      await client.query(`create temporary table answer on commit drop as ${numbered}`);
      return openPages(client, 'select * from pg_temp.answer order by place');
    },
  };
}

export type Loading = Awaited<ReturnType<typeof createLoading>>;

// Building an index at the end is less work than updating it with each row; indexes of constraints stay. An index's
// statistics targets are not part of its definition.
const INDEXES = `
  select concat_ws('; ', pg_get_indexdef(indexrelid), (
      select string_agg(format('alter index %s alter column %s set statistics %s', indexrelid::regclass, attnum,
        attstattarget), '; ')
      from pg_attribute where attrelid = indexrelid and attstattarget >= 0
    )) as back, format('drop index %s', indexrelid::regclass) as away
  from pg_index where indrelid = any($1::regclass[]) and not indisclustered and not indisreplident
    and not exists (select from pg_constraint where conindid = indexrelid and contype <> 'f') order by indexrelid`;

const FOREIGN_KEYS = `
  select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as back,
    format('alter table %s drop constraint %I', conrelid::regclass, conname) as away
  from pg_constraint where contype = 'f' and conparentid = 0 and conrelid = any($1::regclass[]) order by oid`;

const TRIGGERS = `
  select format('alter table %s enable trigger %I', tgrelid::regclass, tgname) as back,
    format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as away
  from pg_trigger where not tgisinternal and tgenabled = 'O' and tgrelid = any($1::regclass[]) order by oid`;

// A row may be older than a check that it breaks (`not valid`): the backup is restored, and the check stays not valid.
const CHECKS = `
  select concat(format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)),
      case when convalidated then ' not valid' end,
      format('; do $check$ begin alter table %s validate constraint %I;', conrelid::regclass, conname),
      ' exception when check_violation then null; end $check$') as back,
    format('alter table %s drop constraint %I', conrelid::regclass, conname) as away
  from pg_constraint where contype = 'c' and conislocal and conrelid = any($1::regclass[]) order by oid`;

/**
 * Removes keys, triggers and indexes, so that rows may come in any order and unchanged. An owner may do this, while
 * `session_replication_role` needs a superuser. Returns the statements that restore everything.
 */
async function dropConstraints(client: pg.Client, tables: readonly Table[]): Promise<string[]> {
  const names = tables.map(qualifyName);
  if (names.length === 0) return [];
  const found: { away: string; back: string }[] = [];
  for (const sql of [CHECKS, INDEXES, FOREIGN_KEYS, TRIGGERS]) found.push(...(await client.query(sql, [names])).rows);
  // A key may need an index, so it is dropped first and restored last.
  for (const { away } of found.toReversed()) await client.query(away);
  // The copy also contains the rows that migrations insert.
  await client.query(`truncate ${names.join(', ')}`);
  return [...found.map(({ back }) => back), `analyze ${names.join(', ')}`];
}
