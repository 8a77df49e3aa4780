import type { CallerContext, Database, Tx } from '../database/index.ts';
import { StorageError } from './errors.ts';
import { checkKey } from './names.ts';

export type ObjectMetadata = Readonly<{
  /** Quoted md5. */
  eTag: string;
  size: number;
  /** As the client declared it. */
  mimetype: string;
  cacheControl: string;
  /** ISO 8601. */
  lastModified: string;
  contentLength: number;
  httpStatusCode: number;
  /** The real type, only where the content contradicts `mimetype`. */
  detectedType?: string;
}>;

export type StoredObject = Readonly<{
  id: string;
  bucket_id: string;
  name: string;
  owner: string | null;
  owner_id: string | null;
  version: string | null;
  created_at: Date;
  updated_at: Date;
  last_accessed_at: Date;
  metadata: Partial<ObjectMetadata> | null;
  user_metadata: Record<string, unknown> | null;
}>;

export const OBJECT_COLUMNS =
  'id, bucket_id, name, owner, owner_id, version, created_at, updated_at, last_accessed_at, metadata, user_metadata';

const FIND = `select ${OBJECT_COLUMNS} from storage.objects where bucket_id = $1 and name = $2`;

/** Finds an object that the caller may see. Throws NoSuchKey, also for a hidden one, and InvalidKey. */
export function findObject(
  database: Database,
  context: CallerContext,
  bucket: string,
  name: string,
): Promise<StoredObject> {
  return selectObject(bucket, name, (work) => database.asCaller({ ...context, readOnly: true }, work));
}

/** Reads past every policy: for public buckets and signed URLs. Throws NoSuchKey and InvalidKey. */
export function findAnyObject(database: Database, bucket: string, name: string): Promise<StoredObject> {
  return selectObject(bucket, name, (work) => database.asOwner(work, { readOnly: true }));
}

type Rows = Readonly<{ rows: readonly StoredObject[] }>;

async function selectObject(
  bucket: string,
  name: string,
  run: (work: (tx: Tx) => Promise<Rows>) => Promise<Rows>,
): Promise<StoredObject> {
  const values = [bucket, checkKey(name)];
  const object = (await run((tx) => tx.query<StoredObject>(FIND, values, { prepare: true, endsTransaction: true })))
    .rows[0];
  if (object === undefined) throw new StorageError('NoSuchKey');
  return object;
}
