import { columnNotInCache, undefinedColumn } from '../errors.ts';
import type { Column, Relation } from '../catalog/catalog.ts';
import type { Payload } from '../request/payload.ts';
import { ident, literal, qualified, type Params } from './fragments.ts';
import type { ReadPlan } from './plan.ts';

/** Columns a write names, all of them known. Throws PGRST204. */
function requireColumns(relation: Relation, names: readonly string[]): Column[] {
  return [...new Set(names)].map((name) => {
    const column = relation.columns.get(name);
    if (column === undefined) throw columnNotInCache(relation.name, name);
    return column;
  });
}

export type Conflict = Readonly<{ target: readonly string[]; resolution: 'merge' | 'ignore' }>;

/** `on_conflict` or the primary key. Throws 42703. */
export function chooseConflictTarget(relation: Relation, given: readonly string[] | undefined): readonly string[] {
  const stranger = given?.find((name) => !relation.columns.has(name));
  if (stranger !== undefined) throw undefinedColumn(relation.name, stranger);
  return given ?? relation.primaryKey;
}

export type InsertOptions = Readonly<{
  payload: Payload;
  /** Missing keys take the column's default instead of null. */
  defaults: boolean;
  conflict: Conflict | undefined;
  /** SQL conditions on the payload's rows (`body`). */
  conditions: readonly string[];
  /** Leaves the number of inserted rows in a setting, because a view has no mark of the ones that were merged. */
  counts?: boolean;
  returning: string;
}>;

export function insertSql(params: Params, relation: Relation, options: InsertOptions): string {
  const columns = requireColumns(relation, options.payload.keys);
  const into = `insert into ${qualified(relation)} as ${ident(relation.name)}`;
  const names = columns.map((column) => ident(column.name)).join(', ');
  const list = columns.length === 0 ? '' : ` (${names})`;
  const conditions = [...options.conditions, ...(options.counts === true ? [countSql(1)] : [])];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const values = columns.map((column) => `body.${ident(column.name)}`).join(', ');
  const rows = bodyRowsSql(params, columns, options.payload, options.defaults);
  const merged = options.counts === true ? ` where ${countSql(-1)}` : '';
  const conflict = conflictSql(columns, options.conflict, merged);
  return `${into}${list} select ${values} from ${rows}${where}${conflict} returning ${options.returning}`;
}

const COUNT = 'pgrst.inserted';

/** SQL of the number that insertSql left. */
export const INSERTED_SQL = `nullif(current_setting('${COUNT}', true), '')::int`;

/** Adds to the number of inserted rows; always true. */
function countSql(step: number): string {
  return `set_config('${COUNT}', (coalesce(${INSERTED_SQL}, 0) + ${step})::text, true) is not null`;
}

/** `merged`: a clause for the rows that are updated, or empty. */
function conflictSql(columns: readonly Column[], conflict: Conflict | undefined, merged: string): string {
  if (conflict === undefined || conflict.target.length === 0) return '';
  const target = `on conflict (${conflict.target.map(ident).join(', ')})`;
  if (conflict.resolution === 'ignore' || columns.length === 0) return ` ${target} do nothing`;
  const set = columns.map((column) => `${ident(column.name)} = excluded.${ident(column.name)}`);
  return ` ${target} do update set ${set.join(', ')}${merged}`;
}

/** `where` is a whole clause or empty. */
export function updateSql(
  params: Params,
  relation: Relation,
  options: Readonly<{ payload: Payload; defaults: boolean; where: string; returning: string }>,
): string {
  const columns = requireColumns(relation, options.payload.keys);
  const alias = ident(relation.name);
  if (columns.length === 0) {
    const nowhere = options.where === '' ? ' where false' : `${options.where} and false`;
    return `select ${options.returning} from ${qualified(relation)} as ${alias}${nowhere}`;
  }
  const set = columns.map((column) => `${ident(column.name)} = body.${ident(column.name)}`).join(', ');
  const rows = bodyRowsSql(params, columns, options.payload, options.defaults);
  const one = `(select * from ${rows} limit 1) as body`;
  return `update ${qualified(relation)} as ${alias} set ${set} from ${one}${options.where}
    returning ${options.returning}`;
}

export function deleteSql(relation: Relation, where: string, returning: string): string {
  return `delete from ${qualified(relation)} as ${ident(relation.name)}${where} returning ${returning}`;
}

/** The payload as rows `body`, each value cast by PostgreSQL to its column's type. */
function bodyRowsSql(params: Params, columns: readonly Column[], payload: Payload, defaults: boolean): string {
  const isObject = payload.kind === 'object';
  if (columns.length === 0 && isObject) return '(values (1)) as body (one)';
  const kind = defaults ? 'jsonb' : 'json';
  const json = `${params.add(payload.json)}::${kind}`;
  if (columns.length === 0) return `${kind}_array_elements(${json}) as body (one)`;
  const typed = columns.map((column) => `${ident(column.name)} ${column.type}`).join(', ');
  const full = defaults ? defaultsSql(columns, json, isObject) : json;
  return `${kind}_to_record${isObject ? '' : 'set'}(${full}) as body (${typed})`;
}

function defaultsSql(columns: readonly Column[], json: string, isObject: boolean): string {
  const pairs = columns.flatMap((column) =>
    column.fallback === null ? [] : [`${literal(column.name)}, ${column.fallback}`],
  );
  const defaults = `jsonb_build_object(${pairs.join(', ')})`;
  if (isObject) return `${defaults} || ${json}`;
  return `(select coalesce(jsonb_agg(${defaults} || element), '[]') from jsonb_array_elements(${json}) as element)`;
}

/** The columns that a write returns so that `plan` can be read from it: the whole row, single columns, or none. */
export type Returned = Readonly<{ all: boolean; names: readonly string[] }>;

export function listReturned(relation: Relation, plan: ReadPlan | undefined, keys: readonly string[]): Returned {
  const all = plan?.items.some((item) => item.kind === 'all') === true;
  const known = (plan === undefined ? [] : listNames(plan)).filter(
    (name) => relation.computed.has(name) || (!all && relation.columns.has(name)),
  );
  return { all, names: [...new Set([...known, ...keys])] };
}

/** `row`: the name under which the whole row is returned as one value. */
export function returningSql(relation: Relation, returned: Returned, row?: string): string {
  const alias = ident(relation.name);
  const whole = row === undefined ? `${alias}.*` : `${alias} as ${row}`;
  const list = [...(returned.all ? [whole] : []), ...returned.names.map((name) => `${alias}.${ident(name)}`)];
  return list.length === 0 ? '1' : list.join(', ');
}

function listNames(plan: ReadPlan): string[] {
  return [
    ...plan.items.flatMap((item) => (item.kind === 'field' ? [item.field.name] : [])),
    ...plan.order.flatMap((term) => (term.relation === undefined ? [term.field.name] : [])),
    ...plan.embeds.flatMap((embed) => embed.relationship.columns.map(([ours]) => ours)),
  ];
}
