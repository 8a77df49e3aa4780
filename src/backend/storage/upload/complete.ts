import type { Database } from '../../database/index.ts';
import { StorageError } from '../errors.ts';
import { OBJECT_COLUMNS, type ObjectMetadata, type StoredObject } from '../objects/object.ts';
import { ownerColumns } from '../owner.ts';
import type { StorageDeps } from '../deps.ts';
import { claim, removeUnclaimed } from '../unclaimed.ts';

/** Bytes that lie in the store under `version`, and the object they are to become. Permission has been asked before. */
export type FinishedUpload = Readonly<{
  version: string;
  bucket: string;
  name: string;
  owner: string | undefined;
  upsert: boolean;
  metadata: ObjectMetadata;
  userMetadata: Record<string, unknown> | undefined;
  /** Counts against a quota where policies or triggers keep one. */
  network: string | undefined;
}>;

const INSERT = `insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict (bucket_id, name)`;
const REPLACE = `do update set owner = excluded.owner, owner_id = excluded.owner_id, metadata = excluded.metadata,
  user_metadata = excluded.user_metadata, version = excluded.version, updated_at = now(), last_accessed_at = now()`;

/**
 * The one step in which an object appears or is replaced, whole: until it commits, readers get the old version. Every
 * way of uploading ends here. Succeeds also where an object has the version already: the answer to an earlier commit
 * was lost. Throws KeyAlreadyExists, NoSuchBucket; then the caller must `abandon` the version.
 */
export async function completeUpload(
  deps: Pick<StorageDeps, 'database' | 'store' | 'log'>,
  upload: FinishedUpload,
): Promise<StoredObject> {
  const owner = ownerColumns(upload.owner);
  // prettier-ignore
  const values = [
    upload.bucket, upload.name, owner.uuid, owner.text, JSON.stringify(upload.metadata),
    upload.userMetadata === undefined ? null : JSON.stringify(upload.userMetadata), upload.version,
  ];
  const commit = deps.database.asOwner(async (tx) => {
    await tx.query(`select set_config('storage.caller_network', $1, true)`, [upload.network ?? '']);
    await claim(tx, upload.version);
    const sql = `${INSERT} ${upload.upsert ? REPLACE : 'do nothing'} returning ${OBJECT_COLUMNS}`;
    const row = (await tx.query<StoredObject>(sql, values)).rows[0];
    if (row === undefined) throw new StorageError('KeyAlreadyExists');
    return row;
  });
  const object = await commit.catch(async (error: unknown) => {
    const stored = await findVersion(deps.database, upload.version).catch(() => undefined);
    if (stored === undefined) throw error;
    return stored;
  });
  if (upload.upsert) await removeUnclaimed(deps);
  return object;
}

/** The object that has this version. Waits for a transaction that is about to make it one. */
export async function findVersion(database: Database, version: string): Promise<StoredObject | undefined> {
  return database.asOwner(async (tx) => {
    await tx.query('select from _backend.unclaimed_files where version = $1 for share', [version]);
    const found = await tx.query<StoredObject>(`select ${OBJECT_COLUMNS} from storage.objects where version = $1`, [
      version,
    ]);
    return found.rows[0];
  });
}

/** `tag` changes with the content: its md5 where that is known. */
export function metadataOf(
  file: Readonly<{ size: number; tag: string }>,
  declared: Readonly<{ type: string; cacheControl: string; detectedType: string | undefined }>,
): ObjectMetadata {
  return {
    eTag: `"${file.tag}"`,
    size: file.size,
    mimetype: declared.type,
    cacheControl: declared.cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: file.size,
    httpStatusCode: 200,
    ...(declared.detectedType === undefined ? {} : { detectedType: declared.detectedType }),
  };
}
