import { Readable } from 'node:stream';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { abortOnDisconnect } from '#http/disconnect.ts';
import { type Catalogue, errorsOf } from '#http/errors.ts';
import { applyEdits, UncleanableError } from '#lib/clean-copy/index.ts';
import { seal, unseal } from '#lib/sealed.ts';
import { createParser, SHARED_ERRORS } from '../api-errors.ts';
import { formatFileUrl, openStoredCopy, openStoredFile, StoredFileError } from '../stored-file.ts';

const BUCKET = 'Media';
/** Part of the sealed bytes: no other sealed text opens a picture. */
const PURPOSE = 'picture of a review';
const HOUR_MS = 3_600_000;
const SIGNED_S = 600;

const SealedSchema = z.object({ path: z.string(), key: z.string(), until: z.number() });

/**
 * Names a picture for an hour, while the review key counts. The path is sealed under a key of the servers instead of
 * signed by the store, because an address of the store would open the original.
 */
export function sealPath(secret: string, path: string, key: string): string {
  const text = JSON.stringify({ path, key, until: Date.now() + HOUR_MS } satisfies z.infer<typeof SealedSchema>);
  return seal(secret, PURPOSE, text).toString('base64url');
}

/** Throws ReviewError: review_not_found for a token that is forged or too old. */
function openToken(secret: string, token: string): z.infer<typeof SealedSchema> {
  try {
    const sealed = SealedSchema.parse(JSON.parse(unseal(secret, PURPOSE, Buffer.from(token, 'base64url'))));
    if (sealed.until > Date.now()) return sealed;
  } catch (cause) {
    throw new ReviewError('review_not_found', { cause });
  }
  throw new ReviewError('review_not_found');
}

type AskedPicture = Readonly<{ secret: string; token: string; counts: Counts; reply: FastifyReply }>;
type Counts = (key: string) => PromiseLike<Readonly<{ data: unknown; error: object | null }>>;

/** The clean copy of a picture. Throws ReviewError. */
export async function openReviewPicture(
  service: SupabaseClient,
  backend: string,
  { secret, token, counts, reply }: AskedPicture,
): Promise<Readonly<{ headers: Record<string, string | number>; content: Readable }>> {
  const { path, key } = openToken(secret, token);
  const { data, error } = await counts(key);
  if (data !== true) throw new ReviewError(error === null ? 'review_not_found' : 'backend_failed', { cause: error });
  const [signature] = await signPictures(service, [path]);
  if (signature === undefined) throw new ReviewError('picture_missing');
  const disconnected = abortOnDisconnect(reply);
  const url = formatFileUrl(backend, path, signature);
  const request = (range?: string) => openStoredFile(url, range === undefined ? {} : { range }, disconnected);
  try {
    const { stored, edits, size } = await openStoredCopy(request);
    const headers = { ...HEADERS, 'content-type': chooseType(stored.headers['content-type']), 'content-length': size };
    return { headers, content: Readable.from(applyEdits(stored, edits), { objectMode: false }) };
  } catch (cause) {
    if (cause instanceof UncleanableError) throw new ReviewError('picture_not_cleanable', { cause });
    if (cause instanceof StoredFileError && cause.code === 'missing')
      throw new ReviewError('picture_missing', { cause });
    throw new ReviewError('backend_failed', { cause });
  }
}

const HEADERS = {
  'cache-control': 'private, max-age=3000',
  'content-disposition': 'inline',
  'content-security-policy': "sandbox; default-src 'none'",
};

/** Nothing that a browser would run: a text with the beginning of a picture stays bytes. */
function chooseType(stored: string | undefined): string {
  return /^image\/(?!svg)[\w.+-]+$/i.test(stored ?? '') ? (stored ?? '') : 'application/octet-stream';
}

/** A signature for each path; undefined for a file that the store does not have. Throws ReviewError. */
export async function signPictures(
  service: SupabaseClient,
  paths: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (paths.length === 0) return [];
  const { data, error } = await service.storage.from(BUCKET).createSignedUrls([...paths], SIGNED_S);
  if (error !== null) throw new ReviewError('backend_failed', { cause: error });
  return data.map(({ signedUrl }) => /[?&]token=([^?&]+)$/.exec(signedUrl ?? '')?.[1]);
}

const CATALOGUE = {
  ...SHARED_ERRORS,
  not_authenticated: [401, 'A review key is needed'],
  review_not_found: [404, 'There is no such review'],
  picture_missing: [410, 'The store has no such picture any more'],
  picture_not_cleanable: [422, 'Place and device cannot be removed from this picture with certainty'],
  rate_limited: [429, 'Too many links or pictures were asked for'],
  not_configured: [503, 'No service key is configured'],
} as const satisfies Catalogue<string>;

export class ReviewError extends errorsOf(CATALOGUE) {}

/** Throws ReviewError: invalid_request. */
export const parseRequest = createParser(ReviewError);
