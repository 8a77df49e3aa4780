import type { Queries } from './target.ts';

/**
 * Records at the target what was moved, as hashes only. The next run compares with it: it finds out which rows and
 * files are its own, and which side has changed since. `--finish` removes it.
 */
const LEDGER = `
  create schema if not exists moved_here;
  revoke all on schema moved_here from public;
  create table if not exists moved_here.rows (
    "table" text not null, key text not null, sum text not null, primary key ("table", key)
  );
  create table if not exists moved_here.files (
    bucket text not null, name text not null,
    -- Ours, theirs, and the sum of both. Without a sum: begun.
    version text not null, target_version text, sha256 text,
    -- Where a large one goes on.
    upload_url text,
    primary key (bucket, name)
  );
  alter table moved_here.rows enable row level security;
  alter table moved_here.files enable row level security`;

export async function openLedger(db: Queries): Promise<void> {
  await db.query(LEDGER);
}

export async function closeLedger(db: Queries): Promise<void> {
  await db.query('drop schema if exists moved_here cascade');
}

export type FileEntry = Readonly<{
  bucket: string;
  name: string;
  version: string;
  targetVersion: string | null;
  sha256: string | null;
  uploadUrl: string | null;
}>;

export async function listFileEntries(db: Queries): Promise<FileEntry[]> {
  const columns = 'bucket, name, version, target_version as "targetVersion", sha256, upload_url as "uploadUrl"';
  return (await db.query<FileEntry>(`select ${columns} from moved_here.files`)).rows;
}

export type FileName = Readonly<{ bucket: string; name: string }>;

/** Called before the first byte is sent, so a file that then lies there is known as ours. */
export async function noteBegun(db: Queries, { bucket, name }: FileName, version: string): Promise<void> {
  await db.query(
    `insert into moved_here.files as f (bucket, name, version) values ($1, $2, $3)
     on conflict (bucket, name) do update set version = excluded.version, target_version = null, sha256 = null,
       upload_url = case when f.version = excluded.version then f.upload_url end`,
    [bucket, name, version],
  );
}

export async function noteAddress(db: Queries, { bucket, name }: FileName, uploadUrl: string): Promise<void> {
  await db.query('update moved_here.files set upload_url = $3 where bucket = $1 and name = $2', [
    bucket,
    name,
    uploadUrl,
  ]);
}

export async function noteMoved(
  db: Queries,
  { bucket, name }: FileName,
  moved: Readonly<{ version: string; targetVersion: string; sha256: string }>,
): Promise<void> {
  await db.query(
    `insert into moved_here.files (bucket, name, version, target_version, sha256) values ($1, $2, $3, $4, $5)
     on conflict (bucket, name) do update set version = excluded.version, target_version = excluded.target_version,
       sha256 = excluded.sha256, upload_url = null`,
    [bucket, name, moved.version, moved.targetVersion, moved.sha256],
  );
}

export async function forgetFile(db: Queries, { bucket, name }: FileName): Promise<void> {
  await db.query('delete from moved_here.files where bucket = $1 and name = $2', [bucket, name]);
}
