import { z } from 'zod';
import type { Bucket } from '../buckets/bucket.ts';
import { checkAllowedType } from '../content-type.ts';
import { StorageError } from '../errors.ts';
import { sizeLimit } from '../upload/receive.ts';
import type { StoredObject } from './object.ts';

/** Body of move and copy. */
export const TransferSchema = z.object({
  bucketId: z.string(),
  sourceKey: z.string(),
  destinationKey: z.string(),
  destinationBucket: z.string().nullish(),
});

/** A bucket's rules hold for what comes from another one too. Throws EntityTooLarge, InvalidMimeType. */
export function checkFits(object: StoredObject, bucket: Bucket, maximum: number): void {
  if (object.bucket_id === bucket.id) return;
  if ((object.metadata?.size ?? 0) > sizeLimit(bucket, maximum)) throw new StorageError('EntityTooLarge');
  checkAllowedType(object.metadata?.mimetype ?? '', bucket.allowed_mime_types);
}
