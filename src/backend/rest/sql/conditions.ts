import { badEmbedFilter, notEmbedded, orderNotToOne } from '../errors.ts';
import type { Filter, Logic, Operation } from '../grammar/filters.ts';
import type { OrderTerm } from '../grammar/query-string.ts';
import { requireColumn, fieldSql, type Params, type Source } from './fragments.ts';

/** Filters may also name embedded resources: SQL of each one's value by its name. */
export type EmbeddedValues = ReadonlyMap<string, string>;

export function logicSql(params: Params, source: Source, embedded: EmbeddedValues, logic: Logic): string {
  if (logic.kind === 'filter') return filterSql(params, source, embedded, logic.filter);
  const members = logic.members.map((member) => logicSql(params, source, embedded, member));
  const joined = members.length === 1 ? members.join('') : `(${members.join(` ${logic.kind} `)})`;
  return logic.negated ? `(not ${joined})` : joined;
}

function filterSql(params: Params, source: Source, embedded: EmbeddedValues, filter: Filter): string {
  const { field, operation, negated } = filter;
  const value = source.columns.has(field.name) ? undefined : embedded.get(field.name);
  if (value !== undefined) {
    if (operation.kind !== 'is' || !operation.value.endsWith('null')) throw badEmbedFilter(field.name);
    return `${value} is ${(operation.value === 'null') === negated ? 'not null' : 'null'}`;
  }
  const sql = operationSql(params, source, filter);
  return negated ? `(not ${sql})` : sql;
}

function operationSql(params: Params, source: Source, filter: Filter): string {
  const { field, operation } = filter;
  const left = fieldSql(params, source, field);
  switch (operation.kind) {
    case 'compare':
      return comparisonSql(params, left, operation);
    case 'is':
      return `${left} is ${operation.value}`;
    case 'distinct':
      return `${left} is distinct from ${params.add(operation.value)}`;
    case 'in':
      return `${left} = any(${params.add(formatArray(operation.values))})`;
    case 'search':
      break;
  }
  const type = field.path.length === 0 ? requireColumn(source, field.name)?.type : undefined;
  const language = operation.language === undefined ? '' : `${params.add(operation.language)}::regconfig, `;
  const vector = type === 'tsvector' ? left : `to_tsvector(${language}${left})`;
  return `${vector} @@ ${operation.parser}(${language}${params.add(operation.value)}::text)`;
}

function comparisonSql(params: Params, left: string, operation: Extract<Operation, { kind: 'compare' }>): string {
  const pattern = operation.operator === 'like' || operation.operator === 'ilike';
  const right = params.add(pattern ? operation.value.replaceAll('*', '%') : operation.value);
  if (operation.quantifier === undefined) return `${left} ${operation.operator} ${right}`;
  return `${left} ${operation.operator} ${operation.quantifier}(${right})`;
}

/** `in.()` is the empty list. */
function formatArray(values: readonly string[]): string {
  if (values.length === 1 && values[0] === '') return '{}';
  return `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}

/** `related`: the embedded resources, those of many rows without a source. Throws PGRST108, 118. */
export function orderSql(
  params: Params,
  source: Source,
  related: ReadonlyMap<string, Source | undefined>,
  terms: readonly OrderTerm[],
): string {
  if (terms.length === 0) return '';
  const written = terms.map((term) => {
    const key = fieldSql(params, getOrderSource(source, related, term), term.field);
    const nulls = term.nulls === undefined ? '' : ` nulls ${term.nulls}`;
    return `${key}${term.direction === undefined ? '' : ` ${term.direction}`}${nulls}`;
  });
  return ` order by ${written.join(', ')}`;
}

function getOrderSource(
  source: Source,
  related: ReadonlyMap<string, Source | undefined>,
  { relation }: OrderTerm,
): Source {
  if (relation === undefined) return source;
  if (!related.has(relation)) throw notEmbedded(relation);
  const row = related.get(relation);
  if (row === undefined) throw orderNotToOne(source.name, relation);
  return row;
}
