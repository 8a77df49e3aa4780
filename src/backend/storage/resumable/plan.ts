import { z } from 'zod';
import { checkAllowedType, checkDeclaredType, DEFAULT_TYPE } from '../content-type.ts';
import { findAnyBucket, type Bucket } from '../buckets/bucket.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { checkKey } from '../names.ts';
import { parseMetadata } from '../upload/body.ts';
import { typeLimit } from '../rules.ts';
import { sizeLimit } from '../upload/receive.ts';

/** What a client announces in `Upload-Metadata`, plus what we note with it (`owner`, `upsert`). */
const Announced = z.object({
  bucketName: z.string(),
  objectName: z.string(),
  contentType: z.string().nullish(),
  cacheControl: z.string().nullish(),
  metadata: z.string().nullish(),
  owner: z.string().nullish(),
  upsert: z.string().nullish(),
});

/** An upload as it is going to end. */
export type UploadPlan = Readonly<{
  bucket: Bucket;
  name: string;
  owner: string | undefined;
  upsert: boolean;
  type: string;
  cacheControl: string;
  userMetadata: Record<string, unknown> | undefined;
  maxBytes: number;
}>;

/** Throws InvalidRequest, NoSuchBucket, InvalidKey, InvalidMimeType. */
export async function planOf(
  deps: StorageDeps,
  metadata: Record<string, string | null> | undefined,
): Promise<UploadPlan> {
  const announced = Announced.safeParse(metadata ?? {});
  if (!announced.success) throw new StorageError('InvalidRequest', 'Metadata header is required');
  const { bucketName, objectName, contentType, cacheControl, metadata: own, owner, upsert } = announced.data;
  const bucket = await findAnyBucket(deps.database, bucketName);
  const type = checkDeclaredType(contentType ?? DEFAULT_TYPE);
  checkAllowedType(type, bucket.allowed_mime_types);
  return {
    bucket,
    name: checkKey(objectName),
    owner: owner ?? undefined,
    upsert: upsert === 'true',
    type,
    cacheControl: /^\d{1,9}$/.test(cacheControl ?? '') ? `max-age=${cacheControl}` : 'no-cache',
    userMetadata: own === null || own === undefined ? undefined : parseMetadata(own),
    maxBytes: Math.min(sizeLimit(bucket, deps.config.storage.file_size_limit), typeLimit(deps.rules, bucket.id, type)),
  };
}
