import type { Tx } from '../../database/index.ts';

/** Values by column. The columns become SQL, so each caller names them itself or has a type as its allow-list. */
type Values = Readonly<Record<string, unknown>>;

/** A statement and its parameters. */
export type Query = readonly [sql: string, params: readonly unknown[]];

export async function findRow<Row extends object>(tx: Tx, ...[sql, params]: Query): Promise<Row | undefined> {
  return (await tx.query<Row>(sql, params)).rows[0];
}

export async function insertRow(tx: Tx, table: string, values: Values): Promise<void> {
  await tx.query(...buildInsert(table, values));
}

export async function updateRow(tx: Tx, table: string, id: string, change: Values): Promise<void> {
  await tx.query(...buildUpdate(table, id, change));
}

export function buildInsert(table: string, values: Values): Query {
  const columns = Object.keys(values);
  const places = columns.map((_, index) => `$${index + 1}`);
  return [`insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`, Object.values(values)];
}

export function buildUpdate(table: string, id: string, change: Values): Query {
  const assignments = Object.keys(change).map((column, index) => `${column} = $${index + 2}`);
  return [`update ${table} set ${assignments.join(', ')} where id = $1`, [id, ...Object.values(change)]];
}
