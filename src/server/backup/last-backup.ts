import { existsSync } from 'node:fs';
import { chown, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { BackupSchema, type BackupRecord } from '#contract/setup-parts.ts';
import { readJsonFile, writeDurably } from '#lib/durable-file.ts';
import { readTail, type Manifest } from './archive/manifest.ts';
import { BackupError } from './errors.ts';

const RecordSchema = z.object({ ...BackupSchema.shape, at: z.iso.datetime() });
/** The last backup, and a later attempt that failed. */
const HistorySchema = z.object({
  last: RecordSchema.nullable(),
  failed: RecordSchema.nullable(),
  /** Where the last one was made; it may have been moved since. */
  path: z.string().optional(),
  /** The unfinished archive of the backup that began last. */
  draft: z.string().endsWith('.part').optional().catch(undefined),
});
type BackupHistory = z.infer<typeof HistorySchema>;

const EMPTY: BackupHistory = { last: null, failed: null };
const getFile = (dataDir: string): string => path.join(dataDir, 'last-backup.json');

/** A missing or damaged file means that none is known. */
export async function readBackupHistory(dataDir: string): Promise<BackupHistory> {
  return (await readJsonFile(getFile(dataDir), HistorySchema)) ?? EMPTY;
}

/**
 * Looks whether the last backup is whole to its end, where it still lies and may be read; undefined where none is
 * known.
 */
export async function tryLastBackup(dataDir: string) {
  const { last, path: file } = await readBackupHistory(dataDir);
  if (last === null) return undefined;
  const handle = file === undefined ? undefined : await open(file).catch(() => undefined);
  if (handle === undefined || file === undefined) return { moved: true } as const;
  try {
    return { files: (await readTail(handle, file)).files.count, bytes: last.bytes };
  } catch (error) {
    if (error instanceof BackupError) return { damage: error.code };
    throw error;
  } finally {
    await handle.close();
  }
}

/** Notes the draft of a backup that begins. Removes the one that a killed backup left, and resolves to its path. */
export async function recordDraft(dataDir: string, draft: string): Promise<string | undefined> {
  const { draft: left, ...history } = await readBackupHistory(dataDir);
  const found = left !== undefined && existsSync(left);
  if (found) await rm(left);
  await write(dataDir, { ...history, draft });
  return found ? left : undefined;
}

/** Records that `file` is complete; an earlier failure no longer counts. */
export async function recordBackup(dataDir: string, file: string, manifest: Manifest): Promise<void> {
  const { size } = await stat(file);
  const { missing } = manifest.files;
  const result = missing === 0 ? 'done' : 'incomplete';
  const at = new Date().toISOString();
  await write(dataDir, {
    last: { at, result, file: path.basename(file), bytes: size, missing, code: null },
    failed: null,
    path: path.resolve(file),
  });
}

/** `code`: why, without words. */
export async function recordFailedBackup(dataDir: string, code: string): Promise<void> {
  const history = await readBackupHistory(dataDir);
  const at = new Date().toISOString();
  const failed: BackupRecord = { at, result: 'failed', file: null, bytes: 0, missing: 0, code };
  await write(dataDir, { ...history, failed });
}

async function write(dataDir: string, history: BackupHistory): Promise<void> {
  await writeDurably(getFile(dataDir), `${JSON.stringify(history, null, 2)}\n`);
  // The server's account must be able to read what a backup run as root has written.
  const { uid, gid } = await stat(dataDir);
  if (process.getuid?.() === 0) await chown(getFile(dataDir), uid, gid);
}
