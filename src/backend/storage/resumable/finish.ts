import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { checkAllowedType, contradiction, DEFAULT_TYPE, SNIFFED_BYTES } from '../content-type.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { storeKey, type ObjectStore } from '../object-store.ts';
import { abandon, noteVersion } from '../unclaimed.ts';
import { completeUpload, metadataOf } from '../upload/complete.ts';
import { typeLimit } from '../rules.ts';
import type { Partials } from './partials.ts';
import type { UploadPlan } from './plan.ts';

export type CompleteUpload = Readonly<{
  version: string;
  size: number;
  plan: UploadPlan;
  network: string | undefined;
}>;

/**
 * From the last byte to the row, repeatable: as long as this has not succeeded once, the next request about the upload
 * tries again. Bytes that never become an object are noted, and go with their day.
 */
export async function finishUpload(deps: StorageDeps, partials: Partials, upload: CompleteUpload): Promise<void> {
  const { version, size, plan, network } = upload;
  const { bucket, name, owner, upsert, userMetadata, type } = plan;
  if ((await finishedBytes(deps, version)) !== undefined) return;
  if (size > plan.maxBytes) throw new StorageError('EntityTooLarge', 'Maximum size exceeded');
  await noteVersion(deps, version);
  await partials.handOver(version);
  const detectedType = await contradiction(await headOf(deps.store, version, size), type);
  // Unknown content is served safely; content that is known to be of a forbidden type is not taken at all.
  if (detectedType !== undefined && detectedType !== DEFAULT_TYPE)
    checkAllowedType(detectedType, bucket.allowed_mime_types);
  if (size > typeLimit(deps.rules, bucket.id, detectedType)) throw new StorageError('EntityTooLarge');
  const metadata = metadataOf({ size, tag: tagOf(version) }, { ...plan, detectedType });
  const finished = { network, version, bucket: bucket.id, name, owner, upsert, metadata, userMetadata };
  await completeUpload(deps, finished).catch(async (error: unknown) => {
    if (!(error instanceof StorageError) || error.code !== 'KeyAlreadyExists') throw error;
    if (!(await repeatsStored(deps, upload))) throw error;
    await abandon(deps, version);
  });
}

/**
 * Whether the object that has the name already may be what this upload sends again: its caller did not hear the end of
 * the first.
 */
export async function mayRepeat(deps: StorageDeps, plan: UploadPlan, size: number | undefined): Promise<boolean> {
  return (await findRepeated(deps, plan, size)) !== undefined;
}

async function repeatsStored(deps: StorageDeps, { version, size, plan }: CompleteUpload): Promise<boolean> {
  const stored = await findRepeated(deps, plan, size);
  if (stored === undefined) return false;
  const [before, now] = [await digestOf(deps.store, stored), await digestOf(deps.store, version)];
  return before.equals(now);
}

/** Version of the object with the name, owner, size and type of this upload. */
async function findRepeated(
  { database }: StorageDeps,
  { bucket, name, owner, type }: UploadPlan,
  size: number | undefined,
): Promise<string | undefined> {
  const found = await database.asOwner((tx) =>
    tx.query<{ version: string }>(
      `select version from storage.objects where bucket_id = $1 and name = $2
       and owner_id is not distinct from $3 and metadata ->> 'size' = $4 and metadata ->> 'mimetype' = $5`,
      [bucket.id, name, owner ?? null, String(size), type],
    ),
  );
  return found.rows[0]?.version;
}

async function digestOf(store: ObjectStore, version: string): Promise<Buffer> {
  const hash = createHash('sha256');
  await pipeline(await store.get(storeKey(version)), hash);
  return hash.digest();
}

async function headOf(store: ObjectStore, version: string, size: number): Promise<Buffer> {
  if (size === 0) return Buffer.alloc(0);
  const end = Math.min(size, SNIFFED_BYTES) - 1;
  return buffer(await store.get(storeKey(version), { start: 0, end }));
}

/**
 * Nobody has seen all the bytes at once, so there is no md5 of them. The version is as good: it never has other bytes.
 * The end says, as with S3, that it is no md5.
 */
function tagOf(version: string): string {
  return `${version.replaceAll('-', '')}-1`;
}

/** Bytes of the object an earlier request made of this upload; undefined where none did. */
export async function finishedBytes({ database }: StorageDeps, version: string): Promise<number | undefined> {
  const found = await database.asOwner((tx) =>
    tx.query<{ size: string }>(`select metadata ->> 'size' as size from storage.objects where version = $1`, [version]),
  );
  const size = found.rows[0]?.size;
  return size === undefined ? undefined : Number(size);
}
