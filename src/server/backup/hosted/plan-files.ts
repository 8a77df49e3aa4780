import type { Snapshot } from '#backend/maintenance.ts';
import type { FileEntry, FileName } from './ledger.ts';
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
