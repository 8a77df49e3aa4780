import type { FileReader, OpenFile, Snapshot } from '#backend/maintenance.ts';
import { MoveError, retryWhileAway, toStorageError } from './errors.ts';
import {
  forgetFile,
  formatFileName,
  listFileEntries,
  noteAddress,
  noteBegun,
  noteMoved,
  type FilePlan,
  type FileTask,
} from './plan-files.ts';
import { openSourceFile } from './source.ts';
import type { Target } from './target.ts';
import { hashCopies, uploadFile } from './transfer-file.ts';

const AT_ONCE = 4;

export type FileMove = Readonly<{
  target: Target;
  reader: FileReader;
  plan: FilePlan;
  signal: AbortSignal;
  /** After each file. */
  progress: (done: number, total: number) => void;
}>;

/** Uploads, reads back and compares every file. Returns the names of files that the source's store has lost. */
export async function moveFiles(move: FileMove): Promise<string[]> {
  const { target, plan, signal, progress } = move;
  const addresses = new Map(
    (await listFileEntries(target.db)).map((entry) => [formatFileName(entry), entry.uploadUrl]),
  );
  const waiting = [...plan.tasks];
  const missing: string[] = [];
  let done = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined && !failed; task = waiting.shift()) {
      if (signal.aborted) throw new MoveError('stopped');
      const moved = await moveFile(move, task, addresses.get(formatFileName(task.file)) ?? undefined);
      if (!moved) missing.push(formatFileName(task.file));
      done += 1;
      progress(done, plan.tasks.length);
    }
  };
  // The other workers end before a failure is reported, so nothing runs on in the background.
  const ends = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () =>
      worker().catch((error: unknown) => {
        failed = true;
        throw error;
      }),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  await removeFiles(target, plan);
  return missing.toSorted();
}

/** False where the source's store has lost the file. */
async function moveFile(move: FileMove, { kind, file }: FileTask, address: string | undefined): Promise<boolean> {
  const { target, reader, signal } = move;
  const opened = await openSourceFile({ files: reader }, file);
  if (opened === undefined) return false;
  if (kind === 'check') {
    await noteVerified(target, file, opened);
    return true;
  }
  await noteBegun(target.db, file, file.version);
  const note = (url: string): Promise<void> => noteAddress(target.db, file, url);
  await uploadFile({ target, reader, address, noteAddress: note, signal }, file, opened);
  const again = await openSourceFile({ files: reader }, file);
  if (again === undefined) return false;
  await noteVerified(target, file, again);
  return true;
}

/** Throws MoveError `file_differs`. */
async function noteVerified(target: Target, file: FileTask['file'], opened: OpenFile): Promise<void> {
  const sha256 = await hashCopies(target, file, opened);
  if (sha256 === undefined) throw new MoveError('file_differs', formatFileName(file));
  const { rows } = await target.db.query<{ version: string }>(
    'select version from storage.objects where bucket_id = $1 and name = $2',
    [file.bucket, file.name],
  );
  const targetVersion = rows[0]?.version;
  if (targetVersion === undefined) throw new MoveError('file_differs', formatFileName(file));
  await noteMoved(target.db, file, { version: file.version, targetVersion, sha256 });
}

/** Removes files at the target that were erased at the source, so an erasure holds on both sides. */
async function removeFiles(target: Target, { remove, forget }: FilePlan): Promise<void> {
  for (const file of remove) {
    await retryWhileAway(target, async () => {
      const { error } = await target.supabase.storage.from(file.bucket).remove([file.name]);
      if (error !== null) throw toStorageError(error, formatFileName(file), 0);
    });
    await forgetFile(target.db, file);
  }
  for (const file of forget) await forgetFile(target.db, file);
}

type Bucket = Readonly<{
  id: string;
  public: boolean;
  file_size_limit: string | null;
  allowed_mime_types: string[] | null;
}>;

const BUCKETS = 'select id, public, file_size_limit, allowed_mime_types from storage.buckets order by id';
/** The target's list of types also takes files that were stored here before there was a list. */
const BUCKETS_HERE = `
  select id, public, file_size_limit, case when allowed_mime_types is not null then allowed_mime_types || array(
    select distinct type collate "C" from (
      select lower(trim(split_part(metadata ->> 'mimetype', ';', 1))) as type from storage.objects where bucket_id = b.id
    ) as stored
    where type <> '' and type <> all (allowed_mime_types) and split_part(type, '/', 1) || '/*' <> all (allowed_mime_types)
    order by 1
  ) end as allowed_mime_types
  from storage.buckets as b order by id`;

/** Creates and configures the buckets like the source's. Returns the names of the changed ones. */
export async function moveBuckets(snapshot: Snapshot, target: Target): Promise<string[]> {
  const { db, supabase } = target;
  const existing = new Map((await db.query<Bucket>(BUCKETS)).rows.map((bucket) => [bucket.id, bucket]));
  const changed: string[] = [];
  for (const bucket of await snapshot.rows<Bucket>(BUCKETS_HERE)) {
    const there = existing.get(bucket.id);
    if (there !== undefined && JSON.stringify(there) === JSON.stringify(bucket)) continue;
    const settings = {
      public: bucket.public,
      fileSizeLimit: bucket.file_size_limit === null ? null : Number(bucket.file_size_limit),
      allowedMimeTypes: bucket.allowed_mime_types,
    };
    await retryWhileAway(target, async () => {
      const { error } =
        there === undefined
          ? await supabase.storage.createBucket(bucket.id, settings)
          : await supabase.storage.updateBucket(bucket.id, settings);
      if (error !== null) throw toStorageError(error, bucket.id, Number(bucket.file_size_limit ?? 0));
    });
    changed.push(bucket.id);
  }
  return changed;
}
