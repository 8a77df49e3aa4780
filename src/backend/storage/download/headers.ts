import { DEFAULT_TYPE, essence, isInert } from '../content-type.ts';
import type { StoredObject } from '../objects/object.ts';
import type { Validators } from './conditions.ts';

export type Presentation = Readonly<{
  /** Name under which to save; '' means without one, undefined that the client does not ask. */
  download: string | undefined;
  /** Whether the bucket is public, so that caches on the way may keep the answer. */
  shared?: boolean;
  /** End of a signed address: the answer is worth keeping no longer. */
  expires?: Date;
}>;

/** Pages, scripts and styles. */
const ACTIVE = /^(?:text|application)\/(?:.*(?:java|ecma|j|live)script.*|html|xhtml\+xml|css|xsl|wasm)$/;

const SAFE_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;[\u0020-\u007E]*)?$/;

/**
 * Headers that go with every answer about an object. Whatever a browser might run, or is not what it was declared to
 * be, is never shown in it but only saved; nothing is guessed, and scripts have no rights (threat 8).
 */
export function objectHeaders(
  object: StoredObject,
  { download, expires, shared = false }: Presentation,
): Record<string, string> {
  const { eTag, lastModified } = validatorsOf(object);
  const { mimetype = DEFAULT_TYPE, cacheControl = 'no-cache', detectedType } = object.metadata ?? {};
  const shown = isInert(mimetype) && detectedType === undefined;
  const disposition = dispositionOf(download, shown);
  return {
    'content-type': servedType(mimetype),
    etag: eTag,
    'last-modified': lastModified.toUTCString(),
    ...(expires === undefined
      ? { 'cache-control': shared ? cacheControl : privately(cacheControl) }
      : { expires: expires.toUTCString() }),
    'accept-ranges': 'bytes',
    'x-robots-tag': 'none',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
  };
}

/** An uploader's `public` is no leave for caches on the way to keep what only some may see. */
function privately(cacheControl: string): string {
  const directives = cacheControl.split(',').map((directive) => directive.trim());
  const kept = directives.filter((directive) => !/^s-maxage(?:=.*)?$/i.test(directive));
  return kept.map((directive) => (/^public$/i.test(directive) ? 'private' : directive)).join(', ') || 'no-cache';
}

export function validatorsOf({ metadata, updated_at: updated }: StoredObject): Validators {
  const lastModified = new Date(metadata?.lastModified ?? updated);
  return { eTag: metadata?.eTag ?? '""', lastModified: Number.isNaN(lastModified.getTime()) ? updated : lastModified };
}

function servedType(mimetype: string): string {
  if (!SAFE_TYPE.test(mimetype)) return DEFAULT_TYPE;
  // As upstream does with pages: what a browser would run from our origin is only ever its source.
  return ACTIVE.test(essence(mimetype)) ? 'text/plain' : mimetype;
}

function dispositionOf(download: string | undefined, shown: boolean): string | undefined {
  if (download === undefined) return shown ? undefined : 'attachment';
  if (download === '') return 'attachment;';
  const name = encodeURIComponent(download.toWellFormed());
  return `attachment; filename=${name}; filename*=UTF-8''${name}`;
}
