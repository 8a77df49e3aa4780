import { z } from 'zod';
import type { Database } from '../../database/index.ts';
import { isEnd, type Catalog, type Column, type Parameter, type Relation, type Routine } from './catalog.ts';
import { CATALOG_SQL } from './catalog-sql.ts';
import { findViewKeys } from './view-keys.ts';

const ColumnRow = z.object({ name: z.string(), type: z.string(), json: z.boolean(), fallback: z.string().nullable() });

const RelationRow = z.object({
  schema: z.string(),
  name: z.string(),
  kind: z.enum(['table', 'view']),
  columns: z.array(ColumnRow),
  computed: z.array(z.string()),
  primaryKey: z.array(z.string()),
  accepts: z.number(),
});

const End = z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()) });
const ForeignKeyRow = z.object({ name: z.string(), from: End, to: End, unique: z.boolean() });

const RoutineRow = z.object({
  schema: z.string(),
  name: z.string(),
  volatile: z.boolean(),
  set: z.boolean(),
  defaults: z.number(),
  variadic: z.boolean(),
  argNames: z.array(z.string()).nullable(),
  argModes: z.array(z.string()).nullable(),
  argTypes: z.array(z.string()).nullable(),
  kind: z.enum(['void', 'scalar', 'composite']),
  columns: z.array(ColumnRow).nullable(),
  relationSchema: z.string().nullable(),
  relationName: z.string().nullable(),
});

const Document = z.object({
  relations: z.array(RelationRow),
  foreignKeys: z.array(ForeignKeyRow),
  routines: z.array(RoutineRow),
  types: z.array(z.object({ name: z.string(), sql: z.string() })),
  views: z.array(z.object({ oid: z.number(), schema: z.string(), name: z.string(), rule: z.string() })),
  keys: z.array(z.object({ oid: z.number(), columns: z.array(z.number()) })),
});

/** Reads what `schemas` expose. `extra` are further schemas whose types may be cast to. */
export async function readCatalog(
  database: Database,
  schemas: readonly string[],
  extra: readonly string[],
): Promise<Catalog> {
  const text = await database.asOwner(async (tx) => {
    await tx.query(`set local search_path to ''`);
    const found = await tx.query<{ document: string }>(CATALOG_SQL, [
      [...schemas],
      ['pg_catalog', ...schemas, ...extra],
    ]);
    return found.rows[0]?.document ?? '';
  });
  return toCatalog(Document.parse(JSON.parse(text)));
}

function toCatalog(document: z.infer<typeof Document>): Catalog {
  const viewKeys = findViewKeys(document.views, document.keys);
  const viewAt = groupByName(document.views);
  const relations = document.relations.map((row) => {
    const [view] = viewAt.get(joinName(row.schema, row.name)) ?? [];
    return view === undefined ? toRelation(row) : toView(row, viewKeys.get(view.oid) ?? []);
  });
  const routines = document.routines.map(toRoutine).filter(isCallable);
  const types = new Map<string, string>(SYNONYMS);
  // A type is found by its name and by the way SQL spells it; names of pg_catalog win.
  for (const { name, sql } of document.types) types.set(name, sql);
  for (const { sql } of document.types) if (/^[a-z ]+$/.test(sql)) types.set(sql, sql);
  const relationAt = groupByName(relations);
  const routinesAt = groupByName(routines);
  return {
    relation: (schema, name) => relationAt.get(joinName(schema, name))?.[0],
    relations: (schema) => relations.filter((relation) => relation.schema === schema),
    routines: (schema, name) => routinesAt.get(joinName(schema, name)) ?? [],
    routineNames: (schema) => routines.filter((routine) => routine.schema === schema).map((routine) => routine.name),
    foreignKeys: (relation) =>
      document.foreignKeys.filter(({ from, to }) => isEnd(from, relation) || isEnd(to, relation)),
    type: (name) => types.get(name.toLowerCase()) ?? types.get(name),
  };
}

const SYNONYMS: readonly (readonly [string, string])[] = [
  ['int', 'integer'],
  ['decimal', 'numeric'],
  ['dec', 'numeric'],
  ['float', 'double precision'],
  ['string', 'text'],
  ['char', 'character'],
];

function joinName(schema: string, name: string): string {
  return JSON.stringify([schema, name]);
}

function groupByName<T extends { schema: string; name: string }>(
  list: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(list, (item) => joinName(item.schema, item.name));
}

// Bits of pg_relation_is_updatable().
const CAN_UPDATE = 4;
const CAN_INSERT = 8;
const CAN_DELETE = 16;

function toRelation(row: z.infer<typeof RelationRow>): Relation {
  return {
    ...row,
    columns: mapByName(row.columns),
    computed: new Set(row.computed),
    accepts: {
      insert: (row.accepts & CAN_INSERT) !== 0,
      update: (row.accepts & CAN_UPDATE) !== 0,
      delete: (row.accepts & CAN_DELETE) !== 0,
    },
  };
}

/** The columns of a view are numbered without gaps, because none of them can be dropped. */
function toView(row: z.infer<typeof RelationRow>, key: readonly number[]): Relation {
  return toRelation({ ...row, primaryKey: key.flatMap((number) => row.columns[number - 1]?.name ?? []) });
}

function mapByName(columns: readonly Column[]): ReadonlyMap<string, Column> {
  return new Map(columns.map((column) => [column.name, column]));
}

function toRoutine(row: z.infer<typeof RoutineRow>): Routine {
  const args = (row.argTypes ?? []).map((type, at) => ({
    name: row.argNames?.[at] ?? '',
    type,
    mode: row.argModes?.[at] ?? 'i',
  }));
  const inputs = args.filter(({ mode }) => mode !== 'o' && mode !== 't');
  const outputs = args.filter(({ mode }) => mode === 'o' || mode === 't' || mode === 'b');
  const relation =
    row.relationSchema !== null && row.relationName !== null
      ? { schema: row.relationSchema, name: row.relationName }
      : undefined;
  return {
    schema: row.schema,
    name: row.name,
    volatile: row.volatile,
    parameters: inputs.map(({ name, type, mode }, at): Parameter => ({
      name,
      type,
      required: at < inputs.length - row.defaults && mode !== 'v',
      variadic: mode === 'v',
    })),
    returns: {
      kind: row.kind,
      set: row.set,
      columns: mapByName(
        row.columns ?? outputs.map(({ name, type }) => ({ name, type, json: JSON_TYPES.has(type), fallback: null })),
      ),
      relation,
    },
  };
}

const JSON_TYPES: ReadonlySet<string> = new Set(['json', 'jsonb']);
const WHOLE_BODY: ReadonlySet<string> = new Set(['bytea', 'json', 'jsonb', 'text', 'xml']);

/** A function with unnamed parameters can be called where it has just one, of a type that a whole body can be. */
function isCallable({ parameters }: Routine): boolean {
  const [first] = parameters;
  if (first?.name === '' && parameters.length === 1) return WHOLE_BODY.has(first.type);
  return parameters.every(({ name }) => name !== '');
}
