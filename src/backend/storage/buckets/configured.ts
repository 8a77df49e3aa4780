import type { StorageDeps } from '../deps.ts';

const INSERT = `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ($1, $1, $2, $3, $4) on conflict do nothing`;

/** Makes the buckets of `[storage.buckets.<name>]` in config.toml that are missing; existing ones stay as they are. */
export async function makeConfiguredBuckets({ database, config }: StorageDeps): Promise<void> {
  const buckets = Object.entries(config.storage.buckets);
  if (buckets.length === 0) return;
  await database.asOwner(async (tx) => {
    for (const [name, bucket] of buckets) {
      await tx.query(INSERT, [name, bucket.public, bucket.file_size_limit ?? null, bucket.allowed_mime_types ?? null]);
    }
  });
}
