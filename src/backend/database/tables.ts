import type pg from 'pg';

/** A table of the database's catalog, except those of extensions. */
export type Table = Readonly<{
  schema: string;
  name: string;
  /** Without generated columns, which PostgreSQL computes. */
  columns: readonly string[];
}>;

export type Sequence = Readonly<{ schema: string; name: string; value: string; called: boolean }>;

type Queries = Pick<pg.Client, 'query'>;

const OURS = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relpersistence <> 't'
  and not exists (
    select from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
  )`;

const TABLES = `
  select n.nspname as schema, c.relname as name, array(
    select a.attname::text from pg_attribute as a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
  ) as columns
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind = 'r' and ${OURS} order by 1, 2`;

const SEQUENCES = `
  select n.nspname as schema, c.relname as name
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind = 'S' and ${OURS} order by 1, 2`;

export async function findTables(client: Queries): Promise<Table[]> {
  return (await client.query<Table>(TABLES)).rows;
}

/** Sequences are not transactional: read after the rows, they are never behind them. */
export async function readSequences(client: Queries): Promise<Sequence[]> {
  const found = await client.query<{ schema: string; name: string }>(SEQUENCES);
  const read: Sequence[] = [];
  for (const { schema, name } of found.rows) {
    const state = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${qualifyName({ schema, name })}`,
    );
    for (const { last_value: value, is_called: called } of state.rows) read.push({ schema, name, value, called });
  }
  return read;
}

/** `"schema"."name"` */
export function qualifyName({ schema, name }: Readonly<{ schema: string; name: string }>): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** `schema.name` */
export function formatName({ schema, name }: Readonly<{ schema: string; name: string }>): string {
  return `${schema}.${name}`;
}

const PAGE_ROWS = 500;

/**
 * Reads the answer in pages, within the open transaction, and requests the next page while one is used: any number of
 * rows needs the memory of two pages.
 */
export async function* pages<Row extends pg.QueryResultRow>(client: pg.Client, sql: string): AsyncGenerator<Row[]> {
  yield* await openPages<Row>(client, sql);
}

/** Requests the first page at once. */
export async function openPages<Row extends pg.QueryResultRow>(
  client: pg.Client,
  sql: string,
): Promise<AsyncGenerator<Row[]>> {
  await client.query(`declare pages no scroll cursor for ${sql}`);
  return readPages(client, fetchPage<Row>(client));
}

type Answer<Row extends pg.QueryResultRow> = Promise<pg.QueryResult<Row>>;

async function* readPages<Row extends pg.QueryResultRow>(client: pg.Client, first: Answer<Row>): AsyncGenerator<Row[]> {
  let next = first;
  try {
    for (;;) {
      const { rows } = await next;
      const more = rows.length === PAGE_ROWS;
      if (more) next = fetchPage<Row>(client);
      if (rows.length > 0) yield rows;
      if (!more) break;
    }
  } finally {
    // Also where the reader stops early. It fails where the transaction did, which the reader knows by then.
    await client.query('close pages').catch(() => undefined);
  }
}

function fetchPage<Row extends pg.QueryResultRow>(client: pg.Client): Answer<Row> {
  const answer = client.query<Row>(`fetch ${PAGE_ROWS} from pages`);
  // It is awaited later; until then its rejection must not end the process.
  answer.catch(() => undefined);
  return answer;
}
