import pg from 'pg';
import { answerTooLarge, type RestError } from '../errors.ts';
import type { Relation } from '../catalog/catalog.ts';
import type { Logic } from '../grammar/filters.ts';
import type { ReadPlan } from './plan.ts';

/** Limits of one answer, by their keys in `[api]`. */
export type AnswerCaps = Readonly<{ max_answer_rows: number; max_answer_bytes: number }>;

const MARK = 'pgrst_answer_too_large';

/**
 * Documents (`json`, `held`) up to the caps. The first one above them ends the statement with an error, before it is
 * gathered: SQL raises none by itself, so a text that is no number is cast.
 */
export function cappedSql(documents: string, caps: AnswerCaps): string {
  const tooLarge = (what: string): string => `cast('${MARK} ${what} ' || ${what} as integer) is null`;
  return `select json, held from (
    select json, held, sum(held) over before as rows, sum(octet_length(json::text)) over before as bytes
    from (select json, held from (${documents}) as made offset 0) as document
    window before as (rows between unbounded preceding and current row)
  ) as counted
  where case when bytes > ${caps.max_answer_bytes} then ${tooLarge('bytes')}
    when rows > ${caps.max_answer_rows} then ${tooLarge('rows')} else true end`;
}

/** Converts the error that a capped statement ended with; undefined for any other error. */
export function capExceeded(error: unknown, caps: AnswerCaps): RestError | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== '22P02') return undefined;
  const what = new RegExp(`"${MARK} (bytes|rows) \\d+"`).exec(error.message)?.[1];
  if (what === undefined) return undefined;
  return answerTooLarge(what === 'rows' ? `${caps.max_answer_rows} rows` : `${caps.max_answer_bytes} bytes`);
}

// prettier-ignore
const NARROW: ReadonlySet<string> = new Set([
  'bigint', 'boolean', 'date', 'double precision', 'integer', 'real', 'smallint', 'uuid',
  'timestamp with time zone', 'timestamp without time zone', 'time with time zone', 'time without time zone',
]);

/** Whether the caps can be reached at all: several rows, with values of any length or with embedded rows. */
export function mayBeLarge(plan: ReadPlan, relation?: Relation): boolean {
  if (plan.embeds.length > 0) return true;
  if (plan.range.limit === 1 || (relation !== undefined && isOneRow(plan, relation))) return false;
  const isNarrow = (name: string): boolean => NARROW.has(plan.source.columns.get(name)?.type ?? '');
  return plan.items.some((item) => {
    if (item.kind === 'all') return [...plan.source.columns.keys()].some((name) => !isNarrow(name));
    return item.kind === 'field' && (item.field.path.length > 0 || !isNarrow(item.field.name));
  });
}

/** The conditions name the whole primary key of a table. */
function isOneRow({ conditions }: ReadPlan, { kind, primaryKey }: Relation): boolean {
  return (
    kind === 'table' && primaryKey.length > 0 && primaryKey.every((key) => conditions.some((one) => isEqual(one, key)))
  );
}

function isEqual(logic: Logic, column: string): boolean {
  if (logic.kind !== 'filter') return false;
  const { field, negated, operation } = logic.filter;
  const plain = operation.kind === 'compare' && operation.operator === '=' && operation.quantifier === undefined;
  return plain && !negated && field.path.length === 0 && field.name === column;
}
