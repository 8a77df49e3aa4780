import { badRange } from '../errors.ts';
import type { QueryString } from '../grammar/query-string.ts';

/** Rows from `offset` on, `limit` of them (undefined: all). */
export type Range = Readonly<{ offset: number; limit: number | undefined }>;

const ALL: Range = { offset: 0, limit: undefined };
/** Without a unit: a range of bytes is not one of rows. */
const HEADER = /^(\d+)-(\d*)$/;

/** `limit`/`offset` of the address together with the header `Range` of a GET. Throws PGRST103. */
export function parseRange(query: QueryString, header: string | undefined): Range {
  const own = findRange(query, []);
  const fromHeader = header === undefined ? ALL : parseHeader(header);
  if (own.limit === 0) return own;
  const offset = Math.max(own.offset, fromHeader.offset);
  const end = Math.min(getEnd(own), getEnd(fromHeader));
  if (end <= offset && end !== Infinity) throw badRange(LOWER_GREATER);
  return { offset, limit: end === Infinity ? undefined : end - offset };
}

const LOWER_GREATER = 'The lower boundary must be lower than or equal to the upper boundary in the Range header.';

export function findRange(query: Pick<QueryString, 'limits' | 'offsets'>, path: readonly string[]): Range {
  const at = (list: QueryString['limits']): number | undefined =>
    list.findLast((entry) => entry.path.join('.') === path.join('.'))?.value;
  const limit = at(query.limits);
  if (limit !== undefined && limit < 0) throw badRange('Limit should be greater than or equal to zero.');
  return { offset: Math.max(0, at(query.offsets) ?? 0), limit };
}

function parseHeader(header: string): Range {
  const [, from, to] = HEADER.exec(header.trim()) ?? [];
  if (from === undefined) return ALL;
  const offset = capNumber(Number(from));
  if (to === undefined || to === '') return { offset, limit: undefined };
  if (Number(to) < offset) throw badRange(LOWER_GREATER);
  return { offset, limit: capNumber(Number(to)) - offset + 1 };
}

function capNumber(number: number): number {
  return Math.min(number, Number.MAX_SAFE_INTEGER - 1);
}

function getEnd(range: Range): number {
  return range.limit === undefined ? Infinity : range.offset + range.limit;
}

/** The server's own cap (`max_rows`) on top. */
export function capRange(range: Range, maxRows: number): Range {
  return { offset: range.offset, limit: Math.min(range.limit ?? maxRows, maxRows) };
}

/** `0-9/100`, with a star for no rows and for an unknown total (RFC 9110 §14.4, without the unit). */
export function formatContentRange(offset: number, rows: number, total: number | undefined): string {
  const shown = rows > 0 && total !== 0 ? `${offset}-${offset + rows - 1}` : '*';
  return `${shown}/${total ?? '*'}`;
}

/** 200, or 206 where fewer rows than the total go out. Throws PGRST103 for an offset behind the end. */
export function getRangeStatus(offset: number, rows: number, total: number | undefined): 200 | 206 {
  if (total === undefined) return 200;
  if (offset > total) {
    throw badRange(`An offset of ${offset} was requested, but there are only ${total} rows.`);
  }
  return rows < total ? 206 : 200;
}
