import { noSuchMediaType } from '../errors.ts';

/** How rows are written: an array, one object, or comma-separated values. */
export type Format = Readonly<{
  kind: 'array' | 'object' | 'csv';
  stripNulls: boolean;
  contentType: string;
}>;

const JSON_ARRAY: Format = { kind: 'array', stripNulls: false, contentType: 'application/json; charset=utf-8' };
const CSV: Format = { kind: 'csv', stripNulls: false, contentType: 'text/csv; charset=utf-8' };

/** Picks the first format the caller accepts, by quality. Throws PGRST107. */
export function negotiateFormat(accept: string | undefined): Format {
  if (accept === undefined || accept.trim() === '') return JSON_ARRAY;
  const accepted = accept
    .split(',')
    .map((part, at) => ({ part: part.trim(), at, quality: parseQuality(part) }))
    .toSorted((a, b) => b.quality - a.quality || a.at - b.at);
  for (const { part } of accepted) {
    const format = parseFormat(part);
    if (format !== undefined) return format;
  }
  throw noSuchMediaType(accepted.map(({ part }) => part));
}

const DOCUMENT: Format = {
  kind: 'object',
  stripNulls: false,
  contentType: 'application/openapi+json; charset=utf-8',
};
const DOCUMENT_TYPES: ReadonlySet<string> = new Set([
  '*/*',
  'application/json',
  'application/openapi+json',
  'application/vnd.pgrst.array',
  'application/vnd.pgrst.array+json',
]);

/** The format of GET /. Throws PGRST107. */
export function negotiateDocument(accept: string | undefined): Format {
  const accepted = (accept?.trim() || '*/*').split(',').map((part) => part.trim());
  const isAccepted = (part: string): boolean => DOCUMENT_TYPES.has(part.toLowerCase().split(';', 1)[0]?.trim() ?? '');
  if (accepted.some(isAccepted)) return DOCUMENT;
  throw noSuchMediaType(accepted);
}

function parseQuality(part: string): number {
  const quality = Number(/;\s*q=([\d.]+)/i.exec(part)?.[1] ?? 1);
  return Number.isFinite(quality) ? quality : 1;
}

function parseFormat(part: string): Format | undefined {
  const [type = '', ...parameters] = part
    .toLowerCase()
    .split(';')
    .map((piece) => piece.trim());
  const stripNulls = parameters.includes('nulls=stripped');
  switch (type) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return JSON_ARRAY;
    case 'text/csv':
      return CSV;
    case 'application/vnd.pgrst.array':
    case 'application/vnd.pgrst.array+json':
      return { kind: 'array', stripNulls, contentType: formatContentType('array', stripNulls) };
    case 'application/vnd.pgrst.object':
    case 'application/vnd.pgrst.object+json':
      return { kind: 'object', stripNulls, contentType: formatContentType('object', stripNulls) };
    default:
      return undefined;
  }
}

function formatContentType(kind: 'array' | 'object', stripNulls: boolean): string {
  if (kind === 'array' && !stripNulls) return JSON_ARRAY.contentType;
  return `application/vnd.pgrst.${kind}+json${stripNulls ? ';nulls=stripped' : ''}; charset=utf-8`;
}
