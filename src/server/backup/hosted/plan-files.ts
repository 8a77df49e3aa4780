import type { Snapshot } from '#backend/maintenance.ts';
import type { Queries } from './target.ts';

/** A file of the installation, by the row that names it. */
export type SourceFile = FileName &
  Readonly<{
    version: string;
    type: string;
    /** The size in its row: for messages and for the order. */
    bytes: number;
    /** In seconds, as the uploader set it. */
    cacheFor: string | undefined;
    metadata: Readonly<Record<string, unknown>> | undefined;
  }>;

export type TargetFile = FileName & Readonly<{ version: string; size: number; type: string }>;

/** `check`: the target has a file of this name that was never compared. */
export type FileTask = Readonly<{ kind: 'upload' | 'replace' | 'check'; file: SourceFile }>;

export type FilePlan = Readonly<{
  tasks: readonly FileTask[];
  remove: readonly FileName[];
  /** In the ledger, and on neither side any more. */
  forget: readonly FileName[];
  same: number;
  strange: Readonly<Record<'foreign' | 'changed' | 'gone', readonly string[]>>;
}>;

type Row = FileName &
  Readonly<{
    version: string;
    type: string;
    bytes: string;
    cache: string | null;
    metadata: SourceFile['metadata'] | null;
  }>;

// A row without such a version was written by hand and has no bytes.
const FILES = `
  select bucket_id as bucket, name, version, coalesce(metadata ->> 'mimetype', 'application/octet-stream') as type,
    coalesce(metadata ->> 'size', '0') as bytes, metadata ->> 'cacheControl' as cache, user_metadata as metadata
  from storage.objects
  where version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' order by bucket_id, name collate "C"`;

export async function readSourceFiles(snapshot: Snapshot): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const rows of snapshot.pages<Row>(FILES)) files.push(...rows.map(toSourceFile));
  return files;
}

function toSourceFile({ cache, metadata, bytes, ...file }: Row): SourceFile {
  const cacheFor = /^max-age=(\d{1,9})$/.exec(cache ?? '')?.[1];
  return { ...file, bytes: Number(bytes), cacheFor, metadata: metadata ?? undefined };
}

export async function readTargetFiles(db: Queries): Promise<TargetFile[]> {
  const { rows } = await db.query<TargetFile & { size: string | null }>(
    `select bucket_id as bucket, name, coalesce(version, '') as version, metadata ->> 'size' as size,
       coalesce(metadata ->> 'mimetype', '') as type
     from storage.objects`,
  );
  return rows.map((row) => ({ ...row, size: Number(row.size ?? Number.NaN) }));
}

type Known = Readonly<{ source: readonly SourceFile[]; target: readonly TargetFile[]; ledger: readonly FileEntry[] }>;

/** Decides for each file from both sides and the ledger. Pure. */
export function planFiles({ source, target, ledger }: Known): FilePlan {
  const [targetByName, ledgerByName] = [indexByName(target), indexByName(ledger)];
  const tasks: FileTask[] = [];
  const strange = { foreign: [] as string[], changed: [] as string[], gone: [] as string[] };
  let same = 0;
  for (const file of source) {
    const name = formatFileName(file);
    const decision = decideTask(file, targetByName.get(name), ledgerByName.get(name));
    if (decision === 'same') same += 1;
    else if (decision === 'changed' || decision === 'gone') strange[decision].push(name);
    else tasks.push({ kind: decision, file });
  }
  const sourceByName = indexByName(source);
  const surplus = target.filter((file) => !sourceByName.has(formatFileName(file)));
  const decisions = surplus.map((file) => [file, decideSurplus(file, ledgerByName.get(formatFileName(file)))] as const);
  for (const [file, decision] of decisions) if (decision !== 'remove') strange[decision].push(formatFileName(file));
  return {
    // The largest first: a file that is too large for the target is then found within minutes.
    tasks: tasks.toSorted((a, b) => b.file.bytes - a.file.bytes),
    remove: decisions.filter(([, decision]) => decision === 'remove').map(([file]) => file),
    forget: ledger.filter(
      (entry) => !sourceByName.has(formatFileName(entry)) && !targetByName.has(formatFileName(entry)),
    ),
    same,
    strange,
  };
}

export function formatFileName({ bucket, name }: FileName): string {
  return `${bucket}/${name}`;
}

function indexByName<File extends FileName>(files: readonly File[]): Map<string, File> {
  return new Map(files.map((file) => [formatFileName(file), file]));
}

type Decision = FileTask['kind'] | 'same' | 'changed' | 'gone';

function decideTask(file: SourceFile, there: TargetFile | undefined, entry: FileEntry | undefined): Decision {
  // Without an entry only reading both sides shows whether they are the same.
  if (entry === undefined) return there === undefined ? 'upload' : 'check';
  if (entry.sha256 === null) return there === undefined ? 'upload' : 'replace';
  if (there === undefined) return 'gone';
  if (there.version !== entry.targetVersion) return 'changed';
  return file.version === entry.version ? 'same' : 'replace';
}

function decideSurplus(there: TargetFile, entry: FileEntry | undefined): 'remove' | 'foreign' | 'changed' {
  if (entry === undefined) return 'foreign';
  // An upload that was begun here is sourceByName, finished or not.
  return entry.sha256 === null || there.version === entry.targetVersion ? 'remove' : 'changed';
}

/**
 * Records at the target what was moved, as hashes only. The next run compares with it: it finds out which rows and
 * files are its own, and which side has changed since. `--finish` removes it.
 */
export const LEDGER = `
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

/** Ends the move. */
export async function removeLedger({ db }: Readonly<{ db: Queries }>): Promise<void> {
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
