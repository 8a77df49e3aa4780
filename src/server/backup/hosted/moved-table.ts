import { qualified, quoted } from '#backend/maintenance.ts';

/** A table whose rows move, and how. */
export type MovedTable = Readonly<{
  schema: string;
  name: string;
  /** Those that are carried over. */
  columns: readonly string[];
  key: readonly string[];
  /** Those that say whether two rows are the same; the others change by mere use. */
  compared: readonly string[];
  /** Columns that are not carried over as they are: SQL of each. */
  read: Readonly<Record<string, string>>;
  /** What of it moves, and what of it counts on the other side: SQL. */
  rows: string;
  counts: string;
  /** Columns that upstream wants filled and that nothing is carried over for: SQL of each. */
  given: Readonly<Record<string, string>>;
  /** Migrations put rows in: until the first move ours take their place. */
  seeded: boolean;
}>;

export const PLAIN: Pick<MovedTable, 'read' | 'rows' | 'counts' | 'given' | 'seeded'> = {
  read: {},
  rows: 'true',
  counts: 'true',
  given: {},
  seeded: false,
};

/** A row's key and its sum, the same in every PostgreSQL. */
export function keyOf(table: MovedTable): string {
  return `row(${list(table.key)})::text`;
}

export function sumOf(table: MovedTable): string {
  return `encode(sha256(convert_to(row(${list(table.compared)})::text, 'UTF8')), 'hex')`;
}

export function list(columns: readonly string[]): string {
  return columns.map(quoted).join(', ');
}

/** Where its rows wait in the target's session. */
export function staged(place: number): string {
  return qualified({ schema: 'pg_temp', name: `moving_${place}` });
}
