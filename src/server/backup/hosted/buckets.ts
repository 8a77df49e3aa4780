import type { Snapshot } from '#backend/maintenance.ts';
import { persistently } from './persistently.ts';
import { storageFault } from './storage-fault.ts';
import type { Target } from './target.ts';

type Bucket = Readonly<{
  id: string;
  public: boolean;
  file_size_limit: string | null;
  allowed_mime_types: string[] | null;
}>;

const BUCKETS = 'select id, public, file_size_limit, allowed_mime_types from storage.buckets order by id';
/** A list of types there takes what is stored here, files from before there was a list among it. */
const BUCKETS_HERE = `
  select id, public, file_size_limit, case when allowed_mime_types is not null then allowed_mime_types || array(
    select distinct type collate "C" from (
      select lower(trim(split_part(metadata ->> 'mimetype', ';', 1))) as type from storage.objects where bucket_id = b.id
    ) as stored
    where type <> '' and type <> all (allowed_mime_types) and split_part(type, '/', 1) || '/*' <> all (allowed_mime_types)
    order by 1
  ) end as allowed_mime_types
  from storage.buckets as b order by id`;

/** Makes and sets buckets as they are here. Returns the names of those that were not. */
export async function moveBuckets(snapshot: Snapshot, target: Target): Promise<string[]> {
  const { db, supabase } = target;
  const theirs = new Map((await db.query<Bucket>(BUCKETS)).rows.map((bucket) => [bucket.id, bucket]));
  const changed: string[] = [];
  for (const bucket of await snapshot.rows<Bucket>(BUCKETS_HERE)) {
    const there = theirs.get(bucket.id);
    if (there !== undefined && JSON.stringify(there) === JSON.stringify(bucket)) continue;
    const settings = {
      public: bucket.public,
      fileSizeLimit: bucket.file_size_limit === null ? null : Number(bucket.file_size_limit),
      allowedMimeTypes: bucket.allowed_mime_types,
    };
    await persistently(target, async () => {
      const { error } =
        there === undefined
          ? await supabase.storage.createBucket(bucket.id, settings)
          : await supabase.storage.updateBucket(bucket.id, settings);
      if (error !== null) throw storageFault(error, bucket.id, Number(bucket.file_size_limit ?? 0));
    });
    changed.push(bucket.id);
  }
  return changed;
}
