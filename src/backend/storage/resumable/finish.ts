import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { checkDetectedType, detectStoredContradiction } from '../content-type.ts';
import { getTypeLimit, type StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { MissingFileError, type ObjectStore, storeKey } from '../stores/object-store.ts';
import { abandonVersion, registerVersion } from '../unclaimed-files.ts';
import { buildMetadata, completeUpload } from '../upload/object-row.ts';
import type { UploadPlan } from './plan.ts';
import { releaseUpload } from './reservations.ts';

type CompleteUpload = Readonly<{
  version: string;
  size: number;
  plan: UploadPlan;
  network: string | undefined;
}>;

/**
 * Makes the complete upload an object. Repeatable: until it succeeds once, the next request about the upload tries
 * again. The sweep removes bytes that never become an object.
 */
export async function finishUpload(deps: StorageDeps, upload: CompleteUpload): Promise<void> {
  const { version, size, plan, network } = upload;
  const { bucket, name, owner, upsert, userMetadata, type } = plan;
  if ((await findFinishedSize(deps, version)) !== undefined) return;
  if (size > plan.maxBytes) throw new StorageError('EntityTooLarge', 'Maximum size exceeded');
  await registerVersion(deps, version);
  await deps.partials.publish(version);
  const detectedType = await detectStoredContradiction(deps.store, { version, size }, type);
  checkDetectedType(detectedType, bucket.allowed_mime_types);
  if (size > getTypeLimit(deps.rules, bucket.id, detectedType)) throw new StorageError('EntityTooLarge');
  // The version identifies the bytes, as they arrive in pieces without an md5; `-1` marks that, as in S3.
  const metadata = buildMetadata({ size, tag: `${version.replaceAll('-', '')}-1` }, { ...plan, detectedType });
  const finished = { network, version, bucket: bucket.id, name, owner, upsert, metadata, userMetadata };
  await completeUpload(deps, finished).catch(async (error: unknown) => {
    if (!(error instanceof StorageError) || error.code !== 'KeyAlreadyExists') throw error;
    if (!(await repeatsStored(deps, upload))) throw error;
    await abandonVersion(deps, version);
    await releaseUpload(deps, version);
  });
}

async function repeatsStored(deps: StorageDeps, { version, size, plan }: CompleteUpload): Promise<boolean> {
  const stored = await findRepeated(deps, plan, size);
  if (stored === undefined) return false;
  // The object may be removed meanwhile: at 409 the client asks again, which finishes the upload.
  const before = await computeDigest(deps.store, stored).catch(ignoreMissingFile);
  return before?.equals(await computeDigest(deps.store, version)) === true;
}

/**
 * Version of the object with the name, owner, size and type of this upload. It may be this upload's own: its client
 * lost the answer to an earlier attempt.
 */
export async function findRepeated(
  { database }: StorageDeps,
  { bucket, name, owner, type }: UploadPlan,
  size: number | undefined,
): Promise<string | undefined> {
  const found = await database.asOwner(
    (tx) =>
      tx.query<{ version: string }>(
        `select version from storage.objects where bucket_id = $1 and name = $2
         and owner_id is not distinct from $3 and metadata ->> 'size' = $4 and metadata ->> 'mimetype' = $5`,
        [bucket.id, name, owner ?? null, String(size), type],
        { endsTransaction: true },
      ),
    { readOnly: true },
  );
  return found.rows[0]?.version;
}

function ignoreMissingFile(error: unknown): undefined {
  if (!(error instanceof MissingFileError)) throw error;
}

async function computeDigest(store: ObjectStore, version: string): Promise<Buffer> {
  const hash = createHash('sha256');
  await pipeline(await store.get(storeKey(version)), hash);
  return hash.digest();
}

/** Size of the object that an earlier request made of this upload; undefined where none did. */
export async function findFinishedSize({ database }: StorageDeps, version: string): Promise<number | undefined> {
  const sql = `select metadata ->> 'size' as size from storage.objects where version = $1`;
  const found = await database.asOwner((tx) => tx.query<{ size: string }>(sql, [version], { endsTransaction: true }), {
    readOnly: true,
  });
  const size = found.rows[0]?.size;
  return size === undefined ? undefined : Number(size);
}
