import pg from 'pg';
import { undefinedColumn } from '../errors.ts';
import type { Column } from '../catalog/catalog.ts';
import { findNearest } from '../catalog/hints.ts';
import type { Field } from '../grammar/scanner.ts';

/** Values of one statement, in the order of their numbers. */
export type Params = Readonly<{ values: unknown[]; add: (value: unknown) => string }>;

export function createParams(): Params {
  const values: unknown[] = [];
  return { values, add: (value) => `$${values.push(value)}` };
}

export function ident(name: string): string {
  return pg.escapeIdentifier(name);
}

export function qualified(thing: Readonly<{ schema: string; name: string }>): string {
  return `${ident(thing.schema)}.${ident(thing.name)}`;
}

export function literal(text: string): string {
  return pg.escapeLiteral(text);
}

/** Rows under an alias, and the columns that may be named in them. */
export type Source = Readonly<{
  alias: string;
  /** As error messages call it. */
  name: string;
  columns: ReadonlyMap<string, Column>;
  computed: ReadonlySet<string>;
}>;

/** SQL of a column and the path into it. Throws 42703 where the source has no such column. */
export function fieldSql(params: Params, source: Source, field: Field): string {
  const column = requireColumn(source, field.name);
  const base = `${ident(source.alias)}.${ident(field.name)}`;
  if (field.path.length === 0) return base;
  const steps = field.path.map((step) =>
    'key' in step ? `${step.arrow}${params.add(step.key)}::text` : `${step.arrow}${params.add(step.index)}::int`,
  );
  return `(${column?.json === true ? base : `to_jsonb(${base})`}${steps.join('')})`;
}

export function requireColumn(source: Source, name: string): Column | undefined {
  const column = source.columns.get(name);
  if (column !== undefined || source.computed.has(name)) return column;
  const meant = findNearest(name, source.columns.keys());
  const hint = meant === undefined ? undefined : `Perhaps you meant to reference the column "${source.name}.${meant}".`;
  throw undefinedColumn(source.name, name, hint);
}

/** Name under which a selected field appears: its last key, or the column. */
export function getOutputName(field: Field): string {
  const key = field.path.findLast((step) => 'key' in step);
  return key !== undefined && 'key' in key ? key.key : field.name;
}
