import { DEFAULT_TYPE, getEssence, isInert } from '../content-type.ts';
import type { StoredObject } from '../object.ts';
import type { Validators } from './conditions.ts';

export type Presentation = Readonly<{
  /** File name to save under; '': to save without a name; undefined: to show in the browser. */
  download: string | undefined;
  /** The bucket is public, so shared caches may store the answer. */
  shared?: boolean;
  /** A signed URL ends here, and so does the life of a cached answer. */
  expires?: Date;
}>;

/** Pages, scripts and styles. */
const ACTIVE = /^(?:text|application)\/(?:.*(?:java|ecma|j|live)script.*|html|xhtml\+xml|css|xsl|wasm)$/;

const SAFE_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;[\u0020-\u007E]*)?$/;

/**
 * The headers of an object. A browser saves, and never shows, content that it might run or that contradicts its
 * declared type; it guesses no type, and scripts have no rights (threat 8).
 */
export function buildObjectHeaders(
  object: StoredObject,
  { download, expires, shared = false }: Presentation,
): Record<string, string> {
  const { eTag, lastModified } = getValidators(object);
  const { mimetype = DEFAULT_TYPE, cacheControl = 'no-cache', detectedType } = object.metadata ?? {};
  const shown = isInert(mimetype) && detectedType === undefined;
  const disposition = buildDisposition(download, shown);
  return {
    'content-type': getServedType(mimetype),
    etag: eTag,
    'last-modified': lastModified.toUTCString(),
    ...(expires === undefined
      ? { 'cache-control': shared ? cacheControl : makePrivate(cacheControl) }
      : { expires: expires.toUTCString() }),
    'accept-ranges': 'bytes',
    'x-robots-tag': 'none',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
  };
}

/** Shared caches must not store a private object, whatever its uploader declared. */
function makePrivate(cacheControl: string): string {
  const directives = cacheControl.split(',').map((directive) => directive.trim());
  const kept = directives.filter((directive) => !/^s-maxage(?:=.*)?$/i.test(directive));
  return kept.map((directive) => (/^public$/i.test(directive) ? 'private' : directive)).join(', ') || 'no-cache';
}

export function getValidators({ metadata, updated_at: updated }: StoredObject): Validators {
  const lastModified = new Date(metadata?.lastModified ?? updated);
  return { eTag: metadata?.eTag ?? '""', lastModified: Number.isNaN(lastModified.getTime()) ? updated : lastModified };
}

function getServedType(mimetype: string): string {
  if (!SAFE_TYPE.test(mimetype)) return DEFAULT_TYPE;
  // A browser must run nothing from this origin, so it gets the source as text; upstream does the same with pages.
  return ACTIVE.test(getEssence(mimetype)) ? 'text/plain' : mimetype;
}

function buildDisposition(download: string | undefined, shown: boolean): string | undefined {
  if (download === undefined) return shown ? undefined : 'attachment';
  if (download === '') return 'attachment;';
  const name = encodeURIComponent(download.toWellFormed());
  return `attachment; filename=${name}; filename*=UTF-8''${name}`;
}
