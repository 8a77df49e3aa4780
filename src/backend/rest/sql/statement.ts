import type { Format } from '../request/media.ts';
import { cappedSql, type AnswerCaps } from './caps.ts';
import { literal } from './fragments.ts';
import type { SelectSql } from './read.ts';

/** The one row every request's statement answers with. */
export type Outcome = Readonly<{
  /** Rows the conditions leave, where the request asked for their number. */
  total: string | null;
  rowCount: string;
  body: string | null;
  /** Length of the body; it is left in the database where that is more than an answer may have. */
  bytes: string | null;
  /** `response.headers` and `response.status` as the database set them. */
  headers: string | null;
  status: string | null;
  /** How many rows an upsert inserted. */
  inserted: string | null;
  /** Primary key of the written row, where it is one. */
  location: Readonly<Record<string, string | null>> | null;
}>;

export type StatementParts = Readonly<{
  /** Common table expressions, in order: `name as (…)`. */
  before: readonly string[];
  /** SELECT of the rows that go out. */
  page: string;
  body: string;
  total?: string | undefined;
  rowCount?: string | undefined;
  inserted?: string | undefined;
  location?: string | undefined;
}>;

const PAGE = '_pgrst_row';

/** Always counts the page, because only an aggregate answers with one row for no rows and for many. */
export function statementSql(parts: StatementParts, maxBytes: number): string {
  const expressions = [...parts.before, `pgrst_page as (${parts.page})`];
  const setting = (name: string): string => `nullif(current_setting(${literal(name)}, true), '')`;
  return `with ${expressions.join(', ')} select total, "rowCount", headers, status, inserted, location,
    octet_length(body) as bytes, case when octet_length(body) <= ${maxBytes} then body end as body
    from (select ${parts.total ?? 'null'}::bigint as total,
    ${parts.rowCount ?? 'count(*)'} as "rowCount", count(*) as page, ${parts.body} as body,
    ${setting('response.headers')} as headers, ${setting('response.status')} as status,
    ${parts.inserted ?? 'null'} as inserted, ${parts.location ?? 'null::json'} as location
    from pgrst_page as ${PAGE}) as answer`;
}

export const NO_BODY = 'null::text';

/** Column of a page of documents, which bodySql takes as single values. */
const DOCUMENT = 'json';

/** The page and its body; `caps` bound an answer that may be large while it is gathered. */
export function pageSql(
  select: Pick<SelectSql, 'page' | 'documents'>,
  format: Format,
  caps: AnswerCaps | undefined,
): Pick<StatementParts, 'page' | 'body'> {
  // Comma-separated values need the columns themselves; only the length of the body bounds them.
  if (caps === undefined || format.kind === 'csv') return { page: select.page, body: bodySql(format) };
  return { page: cappedSql(select.documents, caps), body: bodySql(format, DOCUMENT) };
}

/** JSON text (or CSV) of the page's rows. `column`: the rows are single values under that name. */
export function bodySql(format: Format, column?: string): string {
  if (format.kind === 'csv') return csvSql();
  const all = `json_agg(${column === undefined ? PAGE : `${PAGE}.${column}`})`;
  const stripped = format.stripNulls ? `json_strip_nulls(${all})` : all;
  return format.kind === 'object' ? `coalesce((${stripped}->0)::text, 'null')` : `coalesce(${stripped}::text, '[]')`;
}

function csvSql(): string {
  const header = `(select coalesce(string_agg(key, ','), '') from (
    select json_object_keys(first) as key from (select row_to_json(one.*) as first from pgrst_page as one limit 1) f) k)`;
  const text = `${PAGE}::text`;
  return `${header} || e'\\n' || coalesce(string_agg(substring(${text}, 2, length(${text}) - 2), e'\\n'), '')`;
}
