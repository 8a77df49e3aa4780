import type { StorageDeps } from '../deps.ts';
import { PARTIAL_LIFE_MS, type Destination } from './partial-uploads.ts';
import type { UploadPlan } from './plan.ts';

type Deps = Pick<StorageDeps, 'database' | 'config'>;

/** A resumable upload that begins. Triggers may count it against a quota, by the network too. */
type Beginning = Readonly<{
  version: string;
  plan: UploadPlan;
  /** Undefined where the client announces it later. */
  size: number | undefined;
  network: string | undefined;
}>;

const RESERVE = `insert into _backend.partial_uploads (version, bucket_id, name, owner_id, bytes)
  values ($1, $2, $3, $4, $5) on conflict do nothing`;

/** Writes down what an upload may bring, before its first byte. Throws PostgreSQL's 53400 beyond a quota. */
export async function reserveUpload({ database, config }: Deps, upload: Beginning): Promise<void> {
  const { version, plan, size = config.storage.file_size_limit, network } = upload;
  const values = [version, plan.bucket.id, plan.name, plan.owner ?? null, size];
  await database.asOwner(async (tx) => {
    await tx.query(`select set_config('storage.caller_network', $1, true)`, [network ?? '']);
    await tx.query(RESERVE, values, { endsTransaction: true });
  });
}

/** Lists the unfinished uploads of the same owner to the same name. */
export async function findEarlierUploads({ database }: Deps, { bucket, name, owner }: UploadPlan): Promise<string[]> {
  const sql = `select version from _backend.partial_uploads
    where bucket_id = $1 and name = $2 and owner_id is not distinct from $3`;
  const values = [bucket.id, name, owner ?? null];
  const found = await database.asOwner((tx) => tx.query<{ version: string }>(sql, values, { endsTransaction: true }), {
    readOnly: true,
  });
  return found.rows.map(({ version }) => version);
}

/** Only once the bytes are gone, or belong to an object already. */
export async function releaseUpload({ database }: Pick<Deps, 'database'>, version: string): Promise<void> {
  await database.asOwner((tx) => tx.query('delete from _backend.partial_uploads where version = $1', [version]));
}

/** The same for all uploads to a destination. */
export async function releaseUploadsTo(
  { database }: Pick<Deps, 'database'>,
  { bucket, prefix }: Destination,
): Promise<void> {
  const sql = 'delete from _backend.partial_uploads where bucket_id = $1 and starts_with(name, $2)';
  await database.asOwner((tx) => tx.query(sql, [bucket, prefix]));
}

/** The row is a little older than the upload: it must not go before. */
const SPARE_MS = 60 * 60_000;

/** Called after the sweep has removed expired uploads. */
export async function releaseExpired({ database }: Pick<Deps, 'database'>): Promise<void> {
  const sql = `delete from _backend.partial_uploads where created_at < now() - $1 * interval '1 millisecond'`;
  await database.asOwner((tx) => tx.query(sql, [PARTIAL_LIFE_MS + SPARE_MS]));
}
