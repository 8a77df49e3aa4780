import type { Snapshot } from '#backend/maintenance.ts';
import type { FileEntry, FileName } from './ledger.ts';
import type { Queries } from './queries.ts';

/** A file of the installation, by the row that names it. */
export type SourceFile = FileName &
  Readonly<{
    version: string;
    type: string;
    /** By its row; only for telling and for the order. */
    bytes: number;
    /** In seconds; undefined where nobody said it. */
    cacheFor: string | undefined;
    metadata: Readonly<Record<string, unknown>> | undefined;
  }>;

export type TargetFile = FileName & Readonly<{ version: string; size: number; type: string }>;

/** `check`: it lies there, but nobody has compared it yet. */
export type FileTask = Readonly<{ kind: 'upload' | 'replace' | 'check'; file: SourceFile }>;

export type FilePlan = Readonly<{
  tasks: readonly FileTask[];
  remove: readonly FileName[];
  /** Known to the ledger and to nobody else. */
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

// A row without such a version was written by hand and never had bytes.
const FILES = `
  select bucket_id as bucket, name, version, coalesce(metadata ->> 'mimetype', 'application/octet-stream') as type,
    coalesce(metadata ->> 'size', '0') as bytes, metadata ->> 'cacheControl' as cache, user_metadata as metadata
  from storage.objects
  where version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' order by bucket_id, name collate "C"`;

export async function sourceFiles(snapshot: Snapshot): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const rows of snapshot.pages<Row>(FILES)) files.push(...rows.map(sourceFile));
  return files;
}

function sourceFile({ cache, metadata, bytes, ...file }: Row): SourceFile {
  const cacheFor = /^max-age=(\d{1,9})$/.exec(cache ?? '')?.[1];
  return { ...file, bytes: Number(bytes), cacheFor, metadata: metadata ?? undefined };
}

export async function targetFiles(db: Queries): Promise<TargetFile[]> {
  const { rows } = await db.query<TargetFile & { size: string | null }>(
    `select bucket_id as bucket, name, coalesce(version, '') as version, metadata ->> 'size' as size,
       coalesce(metadata ->> 'mimetype', '') as type
     from storage.objects`,
  );
  return rows.map((row) => ({ ...row, size: Number(row.size ?? Number.NaN) }));
}

type Known = Readonly<{ source: readonly SourceFile[]; target: readonly TargetFile[]; ledger: readonly FileEntry[] }>;

/** Pure: what is to become of each file, by what both sides and the ledger say of it. */
export function planFiles({ source, target, ledger }: Known): FilePlan {
  const [theirs, known] = [byName(target), byName(ledger)];
  const tasks: FileTask[] = [];
  const strange = { foreign: [] as string[], changed: [] as string[], gone: [] as string[] };
  let same = 0;
  for (const file of source) {
    const name = nameOf(file);
    const fate = fateOf(file, theirs.get(name), known.get(name));
    if (fate === 'same') same += 1;
    else if (fate === 'changed' || fate === 'gone') strange[fate].push(name);
    else tasks.push({ kind: fate, file });
  }
  const ours = byName(source);
  const surplus = target.filter((file) => !ours.has(nameOf(file)));
  const fates = surplus.map((file) => [file, surplusFate(file, known.get(nameOf(file)))] as const);
  for (const [file, fate] of fates) if (fate !== 'remove') strange[fate].push(nameOf(file));
  return {
    // The largest first: one that is too large over there shall be known before hours have gone by.
    tasks: tasks.toSorted((a, b) => b.file.bytes - a.file.bytes),
    remove: fates.filter(([, fate]) => fate === 'remove').map(([file]) => file),
    forget: ledger.filter((entry) => !ours.has(nameOf(entry)) && !theirs.has(nameOf(entry))),
    same,
    strange,
  };
}

export function nameOf({ bucket, name }: FileName): string {
  return `${bucket}/${name}`;
}

function byName<File extends FileName>(files: readonly File[]): Map<string, File> {
  return new Map(files.map((file) => [nameOf(file), file]));
}

type Fate = FileTask['kind'] | 'same' | 'changed' | 'gone';

function fateOf(file: SourceFile, there: TargetFile | undefined, entry: FileEntry | undefined): Fate {
  // Neither side may be believed before both were read.
  if (entry === undefined) return there === undefined ? 'upload' : 'check';
  if (entry.sha256 === null) return there === undefined ? 'upload' : 'replace';
  if (there === undefined) return 'gone';
  if (there.version !== entry.targetVersion) return 'changed';
  return file.version === entry.version ? 'same' : 'replace';
}

function surplusFate(there: TargetFile, entry: FileEntry | undefined): 'remove' | 'foreign' | 'changed' {
  if (entry === undefined) return 'foreign';
  // What was begun is ours whatever became of it.
  return entry.sha256 === null || there.version === entry.targetVersion ? 'remove' : 'changed';
}
