import { badBody } from '../errors.ts';

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
