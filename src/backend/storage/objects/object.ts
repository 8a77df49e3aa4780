import type { CallerContext, Database } from '../../database/index.ts';
import { StorageError } from '../errors.ts';
import { checkKey } from '../names.ts';

export type ObjectMetadata = Readonly<{
  /** Quoted md5. */
  eTag: string;
  size: number;
  /** What the client declared. */
  mimetype: string;
  cacheControl: string;
  /** ISO 8601. */
  lastModified: string;
  contentLength: number;
  httpStatusCode: number;
  /** Only where the content contradicts `mimetype`: what it is instead. */
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

/** As the caller may see it. Throws NoSuchKey, also where it is only hidden, and InvalidKey. */
export async function findObject(
  database: Database,
  context: CallerContext,
  bucket: string,
  name: string,
): Promise<StoredObject> {
  const values = [bucket, checkKey(name)];
  const result = await database.asCaller({ ...context, readOnly: true }, (tx) => tx.query<StoredObject>(FIND, values));
  return existing(result.rows[0]);
}

/** Past every policy: where the bucket is public or a signed address was shown. Throws NoSuchKey and InvalidKey. */
export async function findAnyObject(database: Database, bucket: string, name: string): Promise<StoredObject> {
  const values = [bucket, checkKey(name)];
  const result = await database.asOwner((tx) => tx.query<StoredObject>(FIND, values));
  return existing(result.rows[0]);
}

function existing(object: StoredObject | undefined): StoredObject {
  if (object === undefined) throw new StorageError('NoSuchKey');
  return object;
}
