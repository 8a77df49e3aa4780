import { findExcess, parseForm } from '#http/body-limits.ts';
import { badBody, tooManyRows, tooManyValues } from '../errors.ts';

/** The body of a write: JSON for PostgreSQL to cast, its shape, and the keys that its objects share. */
export type Payload = Readonly<{
  json: string;
  kind: 'object' | 'array' | 'other';
  keys: readonly string[];
  rows: number;
}>;

/** What a body may bring; without limits as much as its size allows. */
export type PayloadLimits = Readonly<{ rows: number; values: number }>;

export const NO_LIMITS: PayloadLimits = { rows: Infinity, values: Infinity };
/** A thousand rows of a hundred columns. */
export const MAX_VALUES = 100_000;
const MAX_DEPTH = 1_000;

export function parseMediaType(header: string | undefined): string {
  return (header ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * Body of a write to a relation. `columns` is the address's own list: then keys need not match. Throws PGRST102, and
 * 413 beyond the limits.
 */
export function readPayload(
  body: Buffer,
  mediaType: string,
  columns: readonly string[] | undefined,
  limits: PayloadLimits,
): Payload {
  switch (mediaType) {
    case 'application/json':
    case 'application/vnd.pgrst.object+json':
    case 'application/vnd.pgrst.array+json':
      return parseJsonPayload(decodeText(body), columns, limits);
    case 'text/csv': {
      const rows = parseCsv(decodeText(body), limits);
      return {
        json: JSON.stringify(rows),
        kind: 'array',
        keys: columns ?? Object.keys(rows[0] ?? {}),
        rows: rows.length,
      };
    }
    case 'application/x-www-form-urlencoded': {
      const form = Object.fromEntries(parsePairs(decodeText(body)));
      return { json: JSON.stringify(form), kind: 'object', keys: columns ?? Object.keys(form), rows: 1 };
    }
    default:
      throw badBody(`Content-Type not acceptable: ${mediaType}`);
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

export function decodeText(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw badBody('Empty or invalid json');
  }
}

/** Throws 413 where the form has too many pairs. */
export function parsePairs(text: string): URLSearchParams {
  const pairs = parseForm(text);
  if (pairs === undefined) throw tooManyValues();
  return pairs;
}

/** Throws PGRST102, and 413 beyond the limits. */
export function parseJsonPayload(text: string, columns: readonly string[] | undefined, limits: PayloadLimits): Payload {
  const value = parseJson(text, limits.values);
  if (!Array.isArray(value)) {
    const own = getObjectKeys(value);
    return own === undefined ? EMPTY : { json: text, kind: 'object', keys: columns ?? own, rows: 1 };
  }
  if (columns === undefined) return { json: text, kind: 'array', keys: requireCommonKeys(value), rows: value.length };
  if (!value.every((row) => getObjectKeys(row) !== undefined)) throw badBody(KEYS_DIFFER);
  return { json: text, kind: 'array', keys: columns, rows: value.length };
}

// A JSON text that is neither object nor array writes nothing, as upstream has it.
const EMPTY: Payload = { json: '[]', kind: 'array', keys: [], rows: 0 };
const KEYS_DIFFER = 'All object keys must match';

function requireCommonKeys(rows: readonly unknown[]): string[] {
  const keys = rows.length === 0 ? [] : getObjectKeys(rows[0]);
  if (keys === undefined) throw badBody(KEYS_DIFFER);
  const expected = new Set(keys);
  for (const row of rows) {
    const own = getObjectKeys(row);
    if (own?.length !== expected.size || !own.every((key) => expected.has(key))) throw badBody(KEYS_DIFFER);
  }
  return keys;
}

function getObjectKeys(value: unknown): string[] | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : undefined;
}

/** Throws PGRST102 for invalid JSON and for JSON that would exhaust PostgreSQL's stack; 413 beyond `values`. */
export function parseJson(text: string, values: number): unknown {
  const excess = findExcess(text, { depth: MAX_DEPTH, values });
  if (excess === 'values') throw tooManyValues();
  if (excess === 'depth') throw badBody('Empty or invalid json');
  try {
    return JSON.parse(text);
  } catch {
    throw badBody('Empty or invalid json');
  }
}

const BARE = /[^",\r\n]*/y;
const END = /,|\r?\n|$/y;

/** RFC 4180 with a header line; the bare word NULL is null. Throws PGRST102, and 413 at the first row too many. */
export function parseCsv(text: string, limits = NO_LIMITS): Record<string, string | null>[] {
  const [header, ...lines] = readLines(text, limits);
  if (header === undefined || header.length === 0) throw badBody('not enough input');
  const names = header.map((name) => name ?? 'NULL');
  return lines.map((line) => {
    if (line.length !== names.length) throw badBody('All lines must have same number of fields');
    return Object.fromEntries(names.map((name, at) => [name, line[at] ?? null]));
  });
}

function readLines(text: string, { rows, values }: PayloadLimits): (string | null)[][] {
  const lines: (string | null)[][] = [];
  let line: (string | null)[] = [];
  let cells = 0;
  let at = 0;
  while (at < text.length) {
    const cell = readCell(text, at);
    at = cell.next;
    line.push(cell.value);
    if ((cells += 1) > values) throw tooManyValues();
    if (cell.end === ',' && at >= text.length) line.push('');
    if (cell.end === ',' && at < text.length) continue;
    // The first line names the columns.
    if (lines.push(line) > rows + 1) throw tooManyRows(rows);
    line = [];
  }
  return lines;
}

/** Throws PGRST102 where no cell begins. */
function readCell(text: string, at: number): { value: string | null; end: string; next: number } {
  const quoted = text[at] === '"';
  const stop = quoted ? findClosingQuote(text, at + 1) : at + (matchAt(BARE, text, at)?.length ?? 0);
  const end = stop === undefined ? undefined : matchAt(END, text, quoted ? stop + 1 : stop);
  if (stop === undefined || end === undefined) throw badBody('parse error (Failed reading: not a CSV field)');
  const next = stop + (quoted ? 1 : 0) + end.length;
  if (quoted) return { value: text.slice(at + 1, stop).replaceAll('""', '"'), end, next };
  const bare = text.slice(at, stop);
  return { value: bare === 'NULL' ? null : bare, end, next };
}

/** A quotation mark within a quoted cell is written twice. */
function findClosingQuote(text: string, from: number): number | undefined {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at;
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
