import type { IncomingHttpHeaders } from 'node:http';
import { StorageError } from '../errors.ts';
import type { ByteRange } from '../stores/object-store.ts';

export type Validators = Readonly<{ eTag: string; lastModified: Date }>;

/** The client already has this version (RFC 9110 §13). `If-None-Match` outranks `If-Modified-Since`. */
export function isUnchanged(headers: IncomingHttpHeaders, { eTag, lastModified }: Validators): boolean {
  const known = headers['if-none-match'];
  if (known?.trim() === '*') return true;
  if (known !== undefined) return known.split(',').some((tag) => stripWeak(tag) === stripWeak(eTag));
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return !Number.isNaN(since) && truncateToSeconds(lastModified) <= since;
}

/** `If-Range`: the client has a part of this version, not of an earlier one. */
export function rangeApplies(headers: IncomingHttpHeaders, { eTag, lastModified }: Validators): boolean {
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return true;
  if (condition.includes('"')) return condition.trim() === eTag;
  return Date.parse(condition) === truncateToSeconds(lastModified);
}

function stripWeak(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

function truncateToSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}

const SINGLE = /^bytes=\s*(\d*)-(\d*)\s*$/i;

/**
 * One range of RFC 9110 §14; undefined (the whole file) for none, several or an invalid header. Throws InvalidRange for
 * a range outside of the file.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = SINGLE.exec(header ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  const range = first === '' ? parseSuffix(Number(last), size) : { start: Number(first), end: parseEnd(last, size) };
  // A last position before the first one makes the header invalid, not the range unsatisfiable.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (range.start >= size || range.end < range.start) throw new StorageError('InvalidRange');
  return range;
}

function parseSuffix(length: number, size: number): ByteRange {
  return length === 0 ? { start: size, end: size - 1 } : { start: Math.max(0, size - length), end: size - 1 };
}

function parseEnd(last: string, size: number): number {
  return last === '' ? size - 1 : Math.min(Number(last), size - 1);
}
