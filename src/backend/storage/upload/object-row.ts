import type { CallerContext, Database } from '../../database/index.ts';
import { toOwnerColumns } from '../caller.ts';
import { StorageError } from '../errors.ts';
import { OBJECT_COLUMNS, type ObjectMetadata, type StoredObject } from '../object.ts';
import type { StorageDeps } from '../deps.ts';
import { registerOriginal } from '../originals.ts';
import { claimVersion, removeUnclaimed } from '../unclaimed-files.ts';

/** The parts of the row that are known before the bytes. */
export type PlannedObject = Readonly<{
  bucket: string;
  name: string;
  owner: string | undefined;
  upsert: boolean;
  metadata: Readonly<{ mimetype?: string | undefined; contentLength?: number | undefined }>;
  userMetadata: Record<string, unknown> | undefined;
}>;

const INSERT = `insert into storage.objects (bucket_id, name, owner, owner_id, metadata, user_metadata, version)
  values ($1, $2, $3, $4, $5, $6, $7)`;
const UPSERT = `${INSERT} on conflict (bucket_id, name) do update
  set owner = excluded.owner, owner_id = excluded.owner_id, metadata = excluded.metadata,
    user_metadata = excluded.user_metadata, version = excluded.version`;

function listValues(row: PlannedObject, version: string): (string | null)[] {
  const owner = toOwnerColumns(row.owner);
  const userMetadata = row.userMetadata === undefined ? null : JSON.stringify(row.userMetadata);
  return [row.bucket, row.name, owner.uuid, owner.text, JSON.stringify(row.metadata), userMetadata, version];
}

/**
 * Writes the row with the caller's rights and rolls back: row-level security decides before the first byte is read.
 * Throws PostgreSQL's error (42501, 23505, 23503).
 */
export async function tryWrite(database: Database, context: CallerContext, planned: PlannedObject): Promise<void> {
  const sql = planned.upsert ? UPSERT : INSERT;
  await database.asCaller({ ...context, dryRun: true }, (tx) =>
    tx.query(sql, listValues(planned, '1'), { endsTransaction: true }),
  );
}

/** The object that the stored bytes of `version` become. The permission was checked before. */
export type FinishedUpload = PlannedObject &
  Readonly<{
    version: string;
    metadata: ObjectMetadata;
    /** Policies and triggers may count it against a quota. */
    network: string | undefined;
  }>;

const CREATE = `${INSERT} on conflict (bucket_id, name) do nothing`;
const REPLACE = `${UPSERT}, updated_at = now(), last_accessed_at = now()`;

/**
 * Creates or replaces the object in one transaction: until it commits, readers get the old version. Every upload ends
 * here. Succeeds too where an object already has the version: the answer to an earlier commit was lost. Throws
 * KeyAlreadyExists, NoSuchBucket; then the caller must abandon the version.
 */
export async function completeUpload(
  deps: Pick<StorageDeps, 'database' | 'store' | 'log' | 'rules'>,
  upload: FinishedUpload,
): Promise<StoredObject> {
  const commit = deps.database.asOwner(async (tx) => {
    await tx.query(`select set_config('storage.caller_network', $1, true)`, [upload.network ?? '']);
    await claimVersion(tx, upload.version);
    const sql = `${upload.upsert ? REPLACE : CREATE} returning ${OBJECT_COLUMNS}`;
    const row = (await tx.query<StoredObject>(sql, listValues(upload, upload.version))).rows[0];
    if (row === undefined) throw new StorageError('KeyAlreadyExists');
    await registerOriginal(tx, deps, { ...upload, type: upload.metadata.mimetype });
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

/** Waits for a transaction that is about to create the object. */
async function findVersion(database: Database, version: string): Promise<StoredObject | undefined> {
  return database.asOwner(async (tx) => {
    await tx.query('select from _backend.unclaimed_files where version = $1 for share', [version]);
    const found = await tx.query<StoredObject>(`select ${OBJECT_COLUMNS} from storage.objects where version = $1`, [
      version,
    ]);
    return found.rows[0];
  });
}

/** `tag` identifies the content: its md5 where that is known. */
export function buildMetadata(
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
