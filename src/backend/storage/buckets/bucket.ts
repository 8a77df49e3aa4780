import type { CallerContext, Database } from '../../database/index.ts';
import { StorageError } from '../errors.ts';

export type Bucket = Readonly<{
  id: string;
  name: string;
  owner: string | null;
  public: boolean;
  /** Bytes; pg hands a bigint over as text. */
  file_size_limit: string | null;
  allowed_mime_types: string[] | null;
  type: string;
  created_at: Date;
  updated_at: Date;
}>;

export const BUCKET_COLUMNS =
  'id, name, owner, coalesce(public, false) as public, file_size_limit, allowed_mime_types, type, created_at, updated_at';

/** As the API shows it; lists add `type`. */
export function presentBucket(bucket: Bucket): Record<string, unknown> {
  const { type: _type, ...shown } = bucket;
  const limit = bucket.file_size_limit;
  return { ...shown, owner: bucket.owner ?? '', file_size_limit: limit === null ? null : Number(limit) };
}

/** As the caller may see it. Throws NoSuchBucket, also where it is only hidden. */
export async function findBucket(database: Database, context: CallerContext, id: string): Promise<Bucket> {
  const result = await database.asCaller({ ...context, readOnly: true }, (tx) =>
    tx.query<Bucket>(`select ${BUCKET_COLUMNS} from storage.buckets where id = $1`, [printable(id)]),
  );
  return existing(result.rows[0]);
}

/** Past every policy: for its limits, and for whether it is public. Throws NoSuchBucket. */
export async function findAnyBucket(database: Database, id: string): Promise<Bucket> {
  const result = await database.asOwner((tx) =>
    tx.query<Bucket>(`select ${BUCKET_COLUMNS} from storage.buckets where id = $1`, [printable(id)]),
  );
  return existing(result.rows[0]);
}

function existing(bucket: Bucket | undefined): Bucket {
  if (bucket === undefined) throw new StorageError('NoSuchBucket');
  return bucket;
}

/** PostgreSQL takes no NUL in a text; a name with one cannot exist. */
function printable(id: string): string {
  if (id.includes('\0')) throw new StorageError('NoSuchBucket');
  return id;
}
