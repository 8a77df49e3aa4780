import type { Bucket } from '../buckets/bucket.ts';
import { checkAllowedType } from '../content-type.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { typeLimit } from '../rules.ts';
import { storeKey } from '../object-store.ts';
import type { StoredObject } from '../objects/object.ts';
import { abandon, newVersion } from '../unclaimed.ts';
import type { UploadBody } from './body.ts';
import { completeUpload, metadataOf, type FinishedUpload } from './complete.ts';
import { createGate, pourInto } from './gate.ts';
import type { PlannedObject } from './permission.ts';

export type Destination = Readonly<
  { bucket: Bucket; name: string; owner: string | undefined; upsert: boolean } & Pick<FinishedUpload, 'network'>
>;

/**
 * From the first byte to the row. `mayWrite` is asked before the bytes; whatever goes wrong, nothing is left behind.
 * Throws EntityTooLarge, InvalidMimeType, KeyAlreadyExists, Aborted, StoreFullError.
 */
export async function receive(
  deps: StorageDeps,
  destination: Destination,
  body: UploadBody,
  mayWrite: (planned: PlannedObject) => Promise<void>,
): Promise<StoredObject> {
  const { bucket, name, owner, upsert, network } = destination;
  const limitOf = (type: string | undefined) => typeLimit(deps.rules, bucket.id, type);
  const maxBytes = Math.min(sizeLimit(bucket, deps.config.storage.file_size_limit), limitOf(body.type));
  checkAllowedType(body.type, bucket.allowed_mime_types);
  const { userMetadata } = body;
  const metadata = { mimetype: body.type, contentLength: body.declaredBytes };
  await mayWrite({ bucket: bucket.id, name, owner, upsert, metadata, userMetadata });
  if ((body.declaredBytes ?? 0) > maxBytes) throw new StorageError('EntityTooLarge');
  await deps.store.requireRoom(body.declaredBytes ?? 0);

  const version = await newVersion(deps);
  const gate = createGate({ maxBytes, limitOf, type: body.type, allowedTypes: bucket.allowed_mime_types });
  try {
    pourInto(body.content, gate.stream);
    const file = await deps.store.put(storeKey(version), gate.stream, body.type);
    const stored = metadataOf({ size: file.size, tag: file.md5 }, { ...body, detectedType: gate.detectedType() });
    return await completeUpload(deps, {
      version,
      bucket: bucket.id,
      name,
      owner,
      upsert,
      metadata: stored,
      userMetadata,
      network,
    });
  } catch (error) {
    await abandon(deps, version);
    // What broke the content counts, not what a store made of it.
    throw gate.stream.errored instanceof StorageError ? gate.stream.errored : error;
  }
}

/** Bytes an object of the bucket may have. */
export function sizeLimit(bucket: Bucket, maximum: number): number {
  return bucket.file_size_limit === null ? maximum : Math.min(maximum, Number(bucket.file_size_limit));
}
