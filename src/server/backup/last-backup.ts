import { chown, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { BackupRecord } from '#contract/setup-parts.ts';
import { writeDurably } from '#lib/durable-file.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { Manifest } from './archive/manifest.ts';

const RecordSchema = z.object({
  at: z.iso.datetime(),
  result: z.enum(['done', 'incomplete', 'failed']),
  file: z.string().nullable(),
  bytes: z.number(),
  missing: z.number(),
  code: z.string().nullable(),
});
const HistorySchema = z.object({ last: RecordSchema.nullable(), failed: RecordSchema.nullable() });

/** The last backup, and a later attempt that failed. */
export type BackupHistory = Readonly<{ last: BackupRecord | null; failed: BackupRecord | null }>;

const EMPTY: BackupHistory = { last: null, failed: null };
const getFile = (dataDir: string): string => path.join(dataDir, 'last-backup.json');

/** A missing or damaged file means that none is known. */
export async function readBackupHistory(dataDir: string): Promise<BackupHistory> {
  const text = await readFile(getFile(dataDir), 'utf8').catch(() => '');
  return HistorySchema.safeParse(parseJson(text)).data ?? EMPTY;
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
  });
}

/** `code`: why, without words. */
export async function recordFailedBackup(dataDir: string, code: string): Promise<void> {
  const { last } = await readBackupHistory(dataDir);
  const failed: BackupRecord = {
    at: new Date().toISOString(),
    result: 'failed',
    file: null,
    bytes: 0,
    missing: 0,
    code,
  };
  await write(dataDir, { last, failed });
}

async function write(dataDir: string, history: BackupHistory): Promise<void> {
  await writeDurably(getFile(dataDir), `${JSON.stringify(history, null, 2)}\n`);
  // A backup by root is reported to the server's own account, too.
  const { uid, gid } = await stat(dataDir);
  if (process.getuid?.() === 0) await chown(getFile(dataDir), uid, gid);
}
