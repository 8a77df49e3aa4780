import { z } from 'zod';
import type { CallerContext, Database, Tx } from '../database/index.ts';
import { StorageError } from './errors.ts';
import type { StorageDeps } from './deps.ts';

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

export const BUCKET_COLUMNS = `id, name, owner, coalesce(public, false) as public, file_size_limit, allowed_mime_types,
  type, created_at, updated_at`;

/** As the API shows it; lists add `type`. */
export function presentBucket(bucket: Bucket): Record<string, unknown> {
  const { type: _type, ...shown } = bucket;
  const limit = bucket.file_size_limit;
  return { ...shown, owner: bucket.owner ?? '', file_size_limit: limit === null ? null : Number(limit) };
}

/** Finds a bucket that the caller may see. Throws NoSuchBucket, also for a hidden one. */
export async function findBucket(database: Database, context: CallerContext, id: string): Promise<Bucket> {
  return selectBucket(id, (work) => database.asCaller({ ...context, readOnly: true }, work));
}

/** Reads limits and visibility past every policy. Throws NoSuchBucket. */
export async function findAnyBucket(database: Database, id: string): Promise<Bucket> {
  return selectBucket(id, (work) => database.asOwner(work, { readOnly: true }));
}

type Rows = Readonly<{ rows: readonly Bucket[] }>;

async function selectBucket(id: string, run: (work: (tx: Tx) => Promise<Rows>) => Promise<Rows>): Promise<Bucket> {
  // PostgreSQL takes no NUL in a text: no bucket has such a name.
  if (id.includes('\0')) throw new StorageError('NoSuchBucket');
  const sql = `select ${BUCKET_COLUMNS} from storage.buckets where id = $1`;
  const bucket = (await run((tx) => tx.query<Bucket>(sql, [id], { prepare: true, endsTransaction: true }))).rows[0];
  if (bucket === undefined) throw new StorageError('NoSuchBucket');
  return bucket;
}

/** Maximum bytes of an object in the bucket. */
export function getSizeLimit(bucket: Bucket, maximum: number): number {
  return bucket.file_size_limit === null ? maximum : Math.min(maximum, Number(bucket.file_size_limit));
}

const MIME_PATTERN = /^(?:[\w.+-]+\/(?:[\w.+-]+|\*)(?:;\s*charset=[\w-]+)?|\*(?:\/\*)?)$/;

/** The settings of a bucket in a request's body. */
export const BucketSettingsSchema = z.object({
  public: z.boolean().optional(),
  file_size_limit: z.union([z.number().int().min(0), z.string()]).nullish(),
  allowed_mime_types: z.array(z.string().max(1_000)).nullish(),
});

/** Throws InvalidRequest, InvalidMimeType, and EntityTooLarge above `maximum` bytes. */
export function parseBucketSettings(given: z.infer<typeof BucketSettingsSchema>, maximum: number) {
  const limit = given.file_size_limit;
  const bytes = typeof limit === 'string' ? parseSize(limit) : limit;
  if (typeof bytes === 'number' && bytes > maximum) throw new StorageError('EntityTooLarge');
  const types = given.allowed_mime_types?.filter((type) => type !== '');
  for (const type of types ?? []) {
    if (!MIME_PATTERN.test(type)) throw new StorageError('InvalidMimeType', `mime type ${type} is not supported`);
  }
  return {
    public: given.public,
    file_size_limit: bytes,
    allowed_mime_types: given.allowed_mime_types === null ? null : types,
  };
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/**
 * '20mb' → 20,000,000: powers of ten here, unlike in config.toml, and three digits of the number count. A text that is
 * a number counts bytes, an empty one takes the limit away.
 */
function parseSize(text: string): number | null {
  if (text === '') return null;
  if (Number.isInteger(Number(text)) && Number(text) >= 0) return Number(text);
  const match = /^(\d+(?:\.\d+)?)(b|kb|mb|gb)$/i.exec(text);
  const unit = UNITS[match?.[2]?.toLowerCase() ?? ''];
  if (match === null || unit === undefined) {
    throw new StorageError('InvalidRequest', 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B');
  }
  return Math.round(Number(Number(match[1]).toPrecision(3)) * unit);
}

const INSERT = `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ($1, $1, $2, $3, $4) on conflict do nothing`;

/** Creates the missing buckets of `[storage.buckets.<name>]` in config.toml; existing ones stay as they are. */
export async function createConfiguredBuckets({ database, config }: StorageDeps): Promise<void> {
  await database.asOwner(async (tx) => {
    for (const [name, bucket] of Object.entries(config.storage.buckets)) {
      await tx.query(INSERT, [name, bucket.public, bucket.file_size_limit ?? null, bucket.allowed_mime_types ?? null]);
    }
  });
}
