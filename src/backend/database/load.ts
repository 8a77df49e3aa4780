import type { Writable } from 'node:stream';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { rebuild, type MigrationPlan, type Recorded } from './migrations.ts';
import { openPages } from './pages.ts';
import { PLAIN_TEXT } from './snapshot.ts';
import { findTables, qualified, quoted, type Sequence, type Table } from './tables.ts';

/** A database that is being filled. Nobody sees any of it before all of it is there. */
export type Loading = Readonly<{
  /** As the recorded migrations make them. */
  tables: readonly Table[];
  /** Takes PostgreSQL's text format; `rows` counts once it has finished. */
  copyIn: (table: Table) => Readonly<{ sink: Writable; rows: () => number }>;
  /**
   * Puts sequences, checks, indexes, foreign keys and triggers back, one by one until the signal says otherwise. Throws
   * where a row breaks a key.
   */
  complete: (sequences: readonly Sequence[], signal: AbortSignal) => Promise<void>;
  /** The answer as it is now, in pages, which may be asked for while everything is put back. Once only. */
  pages: <Row extends pg.QueryResultRow>(sql: string) => Promise<AsyncGenerator<Row[]>>;
}>;

/**
 * Makes the schema as it was when `recorded` was written down and lets `work` fill it, all in one transaction: whatever
 * fails, or whoever is killed, the database stays as empty as it was. `url` connects as its owner, a superuser or not.
 */
export async function loadDatabase<T>(
  url: string,
  schema: Readonly<{ plan: MigrationPlan; recorded: Recorded }>,
  work: (loading: Loading) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    await rebuild(client, schema.plan, schema.recorded);
    await client.query(PLAIN_TEXT);
    const result = await work(await loadingOf(client));
    await client.query('commit');
    return result;
  } finally {
    // What is not committed goes with the connection.
    await client.end();
  }
}

/** Whether nobody has made a table in it. */
export async function isEmptyDatabase(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await findTables(client)).length === 0;
  } finally {
    await client.end();
  }
}

async function loadingOf(client: pg.Client): Promise<Loading> {
  const tables = await findTables(client);
  const putBack = await setAside(client, tables);
  return {
    tables,
    copyIn: (table) => {
      const columns = table.columns.map(quoted).join(', ');
      const sink = client.query(from(`copy ${qualified(table)} (${columns}) from stdin with (freeze)`));
      return { sink, rows: () => sink.rowCount };
    },
    complete: async (sequences, signal) => {
      for (const { schema, name, value, called } of sequences) {
        await client.query('select setval($1::regclass, $2, $3)', [qualified({ schema, name }), value, called]);
      }
      for (const sql of putBack) {
        signal.throwIfAborted();
        await client.query(sql);
      }
    },
    // Out of a copy: nothing can be put back on a table that is being read.
    pages: async (sql) => {
      const numbered = `select row_number() over () as place, rows.* from (${sql}) as rows`;
      await client.query(`create temporary table answer on commit drop as ${numbered}`);
      return openPages(client, 'select * from pg_temp.answer order by place');
    },
  };
}

// To fill a table and then sort it is less work than to keep it sorted all the time; what a constraint stands on stays.
// How much the planner learns of an index is no part of its definition.
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

// A row may be older than a check that it breaks (`not valid`). Such a backup can be restored all the same, and the
// check stays as it was for that row.
const CHECKS = `
  select concat(format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)),
      case when convalidated then ' not valid' end,
      format('; do $check$ begin alter table %s validate constraint %I;', conrelid::regclass, conname),
      ' exception when check_violation then null; end $check$') as back,
    format('alter table %s drop constraint %I', conrelid::regclass, conname) as away
  from pg_constraint where contype = 'c' and conislocal and conrelid = any($1::regclass[]) order by oid`;

/**
 * Rows come in any order and as they are: no key is checked, no trigger fires and no index is kept until they are all
 * there. An owner may do this; `session_replication_role` would need a superuser. Returns what puts everything back.
 */
async function setAside(client: pg.Client, tables: readonly Table[]): Promise<string[]> {
  const names = tables.map(qualified);
  if (names.length === 0) return [];
  const found: { away: string; back: string }[] = [];
  for (const sql of [CHECKS, INDEXES, FOREIGN_KEYS, TRIGGERS]) found.push(...(await client.query(sql, [names])).rows);
  // A key may stand on an index: it goes first and comes last.
  for (const { away } of found.toReversed()) await client.query(away);
  // What migrations put in is in the copy too.
  await client.query(`truncate ${names.join(', ')}`);
  return [...found.map(({ back }) => back), `analyze ${names.join(', ')}`];
}
