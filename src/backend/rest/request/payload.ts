import { badBody } from '../errors.ts';

/** The body of a write: JSON for PostgreSQL to cast, its shape, and the keys that its objects share. */
export type Payload = Readonly<{
  json: string;
  kind: 'object' | 'array' | 'other';
  keys: readonly string[];
  rows: number;
}>;

const MAX_DEPTH = 1_000;

export function parseMediaType(header: string | undefined): string {
  return (header ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Body of a write to a relation. `columns` is the address's own list: then keys need not match. Throws PGRST102. */
export function readPayload(body: Buffer, mediaType: string, columns: readonly string[] | undefined): Payload {
  switch (mediaType) {
    case 'application/json':
    case 'application/vnd.pgrst.object+json':
    case 'application/vnd.pgrst.array+json':
      return parseJsonPayload(decodeText(body), columns);
    case 'text/csv': {
      const rows = parseCsv(decodeText(body));
      return {
        json: JSON.stringify(rows),
        kind: 'array',
        keys: columns ?? Object.keys(rows[0] ?? {}),
        rows: rows.length,
      };
    }
    case 'application/x-www-form-urlencoded': {
      const form = Object.fromEntries(new URLSearchParams(decodeText(body)));
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

function parseJsonPayload(text: string, columns: readonly string[] | undefined): Payload {
  const value = parseJson(text);
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

/** Throws PGRST102 for invalid JSON, and for JSON so deep that it would exhaust PostgreSQL's stack. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw badBody('Empty or invalid json');
  try {
    return JSON.parse(text);
  } catch {
    throw badBody('Empty or invalid json');
  }
}

function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** RFC 4180 with a header line; the bare word NULL is null. Throws PGRST102. */
export function parseCsv(text: string): Record<string, string | null>[] {
  const [header, ...lines] = readLines(text);
  if (header === undefined || header.length === 0) throw badBody('not enough input');
  const names = header.map((name) => name ?? 'NULL');
  return lines.map((line) => {
    if (line.length !== names.length) throw badBody('All lines must have same number of fields');
    return Object.fromEntries(names.map((name, at) => [name, line[at] ?? null]));
  });
}

function readLines(text: string): (string | null)[][] {
  const lines: (string | null)[][] = [];
  let line: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    CELL.lastIndex = at;
    const [whole, quoted, bare = '', end] = CELL.exec(text) ?? [];
    if (whole === undefined) throw badBody('parse error (Failed reading: not a CSV field)');
    line.push(quoted?.replaceAll('""', '"') ?? (bare === 'NULL' ? null : bare));
    at += whole.length;
    if (end === ',' && at >= text.length) line.push('');
    if (end !== ',' || at >= text.length) {
      lines.push(line);
      line = [];
    }
  }
  return lines;
}
