import type { Writable } from 'node:stream';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import { rebuild, type MigrationPlan, type Recorded } from './migrations.ts';
import { pages } from './pages.ts';
import { PLAIN_TEXT } from './snapshot.ts';
import { findTables, qualified, quoted, type Sequence, type Table } from './tables.ts';

/** A database that is being filled. Nobody sees any of it before all of it is there. */
export type Loading = Readonly<{
  /** As the recorded migrations make them. */
  tables: readonly Table[];
  /** Takes PostgreSQL's text format; `rows` counts once it has finished. */
  copyIn: (table: Table) => Readonly<{ sink: Writable; rows: () => number }>;
  /** Puts sequences, foreign keys and triggers back. Throws where a row breaks a key. */
  complete: (sequences: readonly Sequence[]) => Promise<void>;
  /** An answer in pages, as a snapshot has it. */
  pages: <Row extends pg.QueryResultRow>(sql: string) => AsyncGenerator<Row[]>;
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
    await client.query('analyze').catch(() => undefined);
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
    complete: async (sequences) => {
      for (const { schema, name, value, called } of sequences) {
        await client.query('select setval($1::regclass, $2, $3)', [qualified({ schema, name }), value, called]);
      }
      for (const sql of putBack) await client.query(sql);
    },
    pages: (sql) => pages(client, sql),
  };
}

const FOREIGN_KEYS = `
  select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as back,
    format('alter table %s drop constraint %I', conrelid::regclass, conname) as away
  from pg_constraint where contype = 'f' and conparentid = 0 and conrelid = any($1::regclass[]) order by oid`;

const TRIGGERS = `
  select format('alter table %s enable trigger %I', tgrelid::regclass, tgname) as back,
    format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as away
  from pg_trigger where not tgisinternal and tgenabled = 'O' and tgrelid = any($1::regclass[]) order by oid`;

/**
 * Rows come in any order and as they are: no key is checked and no trigger fires until they are all there. An owner may
 * do this; `session_replication_role` would need a superuser. Returns what puts everything back.
 */
async function setAside(client: pg.Client, tables: readonly Table[]): Promise<string[]> {
  const names = tables.map(qualified);
  const putBack: string[] = [];
  for (const sql of [FOREIGN_KEYS, TRIGGERS]) {
    for (const { away, back } of (await client.query<{ away: string; back: string }>(sql, [names])).rows) {
      await client.query(away);
      putBack.push(back);
    }
  }
  // What migrations put in is in the copy too.
  if (names.length > 0) await client.query(`truncate ${names.join(', ')}`);
  return putBack;
}
