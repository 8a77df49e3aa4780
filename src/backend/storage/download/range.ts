import { StorageError } from '../errors.ts';
import type { ByteRange } from '../object-store.ts';

const SINGLE = /^bytes=\s*(\d*)-(\d*)\s*$/i;

/**
 * One range of RFC 9110 §14; undefined (the whole file) for none, for several and for what is no range.
 * Throws InvalidRange for one that lies outside.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = SINGLE.exec(header ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  const range = first === '' ? suffix(Number(last), size) : { start: Number(first), end: endOf(last, size) };
  // A last position before the first one makes the header invalid, not the range unsatisfiable.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (range.start >= size || range.end < range.start) throw new StorageError('InvalidRange');
  return range;
}

function suffix(length: number, size: number): ByteRange {
  return length === 0 ? { start: size, end: size - 1 } : { start: Math.max(0, size - length), end: size - 1 };
}

function endOf(last: string, size: number): number {
  return last === '' ? size - 1 : Math.min(Number(last), size - 1);
}
