import type { IncomingHttpHeaders } from 'node:http';

export type Validators = Readonly<{ eTag: string; lastModified: Date }>;

/** RFC 9110 §13: whether the client already has this version. `If-None-Match` outranks `If-Modified-Since`. */
export function isUnchanged(headers: IncomingHttpHeaders, { eTag, lastModified }: Validators): boolean {
  const known = headers['if-none-match'];
  if (known !== undefined) return known.trim() === '*' || known.split(',').some((tag) => weak(tag) === weak(eTag));
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return !Number.isNaN(since) && wholeSeconds(lastModified) <= since;
}

/** `If-Range`: whether the part asked for still belongs to the version that the client has a part of. */
export function rangeApplies(headers: IncomingHttpHeaders, { eTag, lastModified }: Validators): boolean {
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return true;
  if (condition.includes('"')) return condition.trim() === eTag;
  return Date.parse(condition) === wholeSeconds(lastModified);
}

function weak(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
