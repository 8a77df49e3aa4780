import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { storeKey } from '../object-store.ts';
import { abandon, noteVersion } from '../unclaimed.ts';
import { completeUpload, metadataOf } from '../upload/complete.ts';
import { createGate, pourInto } from '../upload/gate.ts';
import type { Partials } from './partials.ts';
import type { UploadPlan } from './plan.ts';

/**
 * From the last byte to the row, repeatable: as long as this has not succeeded once, the bytes stay where they came in,
 * and the next request about the upload tries again.
 */
export async function finishUpload(
  deps: StorageDeps,
  partials: Partials,
  version: string,
  plan: UploadPlan,
): Promise<void> {
  const { bucket, name, owner, upsert, userMetadata } = plan;
  await noteVersion(deps, version);
  const gate = createGate({ maxBytes: plan.maxBytes, type: plan.type, allowedTypes: bucket.allowed_mime_types });
  try {
    pourInto(await partials.read(version), gate.stream);
    const file = await deps.store.put(storeKey(version), gate.stream, plan.type);
    const metadata = metadataOf(file, { ...plan, detectedType: gate.detectedType() });
    await completeUpload(deps, { version, bucket: bucket.id, name, owner, upsert, metadata, userMetadata });
  } catch (error) {
    await abandon(deps, version);
    throw gate.stream.errored instanceof StorageError ? gate.stream.errored : error;
  }
  await partials.remove(version).catch(() => deps.log.warn('a finished upload leaves its parts until they expire'));
}

/** Bytes of the object an earlier request made of this upload; undefined where none did. */
export async function finishedBytes({ database }: StorageDeps, version: string): Promise<number | undefined> {
  const found = await database.asOwner((tx) =>
    tx.query<{ size: string }>(`select metadata ->> 'size' as size from storage.objects where version = $1`, [version]),
  );
  const size = found.rows[0]?.size;
  return size === undefined ? undefined : Number(size);
}
