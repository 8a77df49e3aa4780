import type pg from 'pg';

/** Everything of a database that holds rows, found in its catalog: what an extension brings is not ours to copy. */
export type Table = Readonly<{
  schema: string;
  name: string;
  /** Without generated ones, which PostgreSQL computes again. */
  columns: readonly string[];
}>;

export type Sequence = Readonly<{ schema: string; name: string; value: string; called: boolean }>;

type Queries = Pick<pg.Client, 'query'>;

const OURS = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relpersistence <> 't'
  and not exists (select from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

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

/** Sequences stand outside transactions: read after the rows, they are never behind them. */
export async function readSequences(client: Queries): Promise<Sequence[]> {
  const found = await client.query<{ schema: string; name: string }>(SEQUENCES);
  const read: Sequence[] = [];
  for (const { schema, name } of found.rows) {
    const state = await client.query<{ last_value: string; is_called: boolean }>(
      `select last_value, is_called from ${qualified({ schema, name })}`,
    );
    for (const { last_value: value, is_called: called } of state.rows) read.push({ schema, name, value, called });
  }
  return read;
}

/** As SQL names it. */
export function qualified({ schema, name }: Readonly<{ schema: string; name: string }>): string {
  return `${quoted(schema)}.${quoted(name)}`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** As people name it. */
export function fullName({ schema, name }: Readonly<{ schema: string; name: string }>): string {
  return `${schema}.${name}`;
}
