import type { FileReader } from '#backend/maintenance.ts';
import { proveSame } from './download.ts';
import { MoveFault } from './faults.ts';
import { nameOf, type FilePlan, type FileTask } from './file-plan.ts';
import { fileEntries, forgetFile, noteAddress, noteBegun, noteMoved } from './ledger.ts';
import { persistently } from './persistently.ts';
import { openFile } from './source-bytes.ts';
import { storageFault } from './storage-fault.ts';
import type { Target } from './target.ts';
import { uploadFile } from './upload.ts';

const AT_ONCE = 4;

export type FileMove = Readonly<{
  target: Target;
  reader: FileReader;
  plan: FilePlan;
  signal: AbortSignal;
  /** After each file. */
  progress: (done: number, total: number) => void;
}>;

/** Every file goes there, is read back and compared. Returns the names of those that our own store has lost. */
export async function moveFiles(move: FileMove): Promise<string[]> {
  const { target, plan, signal, progress } = move;
  const addresses = new Map((await fileEntries(target.db)).map((entry) => [nameOf(entry), entry.uploadUrl]));
  const waiting = [...plan.tasks];
  const missing: string[] = [];
  let done = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined && !failed; task = waiting.shift()) {
      if (signal.aborted) throw new MoveFault('stopped');
      const moved = await moveFile(move, task, addresses.get(nameOf(task.file)) ?? undefined);
      if (!moved) missing.push(nameOf(task.file));
      done += 1;
      progress(done, plan.tasks.length);
    }
  };
  // What the others have begun comes to its end before anybody hears of a failure: nothing goes on behind our back.
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

/** False where there is nothing to move. */
async function moveFile(move: FileMove, { kind, file }: FileTask, address: string | undefined): Promise<boolean> {
  const { target, reader, signal } = move;
  const opened = await openFile(reader, file);
  if (opened === undefined) return false;
  if (kind === 'check') {
    await proveSame(target, file, opened).then((sum) => noted(target, file, sum.sha256));
    return true;
  }
  await noteBegun(target.db, file, file.version);
  const note = (url: string): Promise<void> => noteAddress(target.db, file, url);
  await uploadFile({ target, reader, address, noteAddress: note, signal }, file, opened);
  const again = await openFile(reader, file);
  if (again === undefined) return false;
  const { sha256 } = await proveSame(target, file, again);
  await noted(target, file, sha256);
  return true;
}

async function noted({ db }: Target, file: FileTask['file'], sha256: string): Promise<void> {
  const { rows } = await db.query<{ version: string }>(
    'select version from storage.objects where bucket_id = $1 and name = $2',
    [file.bucket, file.name],
  );
  const targetVersion = rows[0]?.version;
  if (targetVersion === undefined) throw new MoveFault('file_differs', nameOf(file));
  await noteMoved(db, file, { version: file.version, targetVersion, sha256 });
}

/** What was removed here goes there too: whoever had it erased may rely on that. */
async function removeFiles(target: Target, { remove, forget }: FilePlan): Promise<void> {
  for (const file of remove) {
    await persistently(target, async () => {
      const { error } = await target.supabase.storage.from(file.bucket).remove([file.name]);
      if (error !== null) throw storageFault(error, nameOf(file), 0);
    });
    await forgetFile(target.db, file);
  }
  for (const file of forget) await forgetFile(target.db, file);
}
