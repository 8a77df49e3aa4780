import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, readdir, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { readJsonFile, removeDurably, writeDurably } from '#lib/durable-file.ts';
import { getErrorCode } from '#lib/error-code.ts';
import { ModelError, type ModelKind } from './catalogue.ts';

/** A model in the folder, described by the file beside it: it stays usable when the catalogue changes. */
export type InstalledModel = Readonly<{
  name: string;
  kind: ModelKind;
  /** The model's own file. */
  path: string;
  bytes: number;
  sha256: string;
  /** ISO 8601. The model installed last is the one in use. */
  installedAt: string;
}>;

const RECORD_END = '.json';

/** `file` instead of a path: the folder may move. */
const RecordSchema = z.object({
  version: z.literal(1),
  name: z.string(),
  kind: z.enum(['whisper', 'parakeet']),
  file: z.string().refine((file) => path.basename(file) === file),
  bytes: z.number(),
  sha256: z.string(),
  from: z.string(),
  installedAt: z.string(),
});
type ModelRecord = z.infer<typeof RecordSchema>;

export async function writeRecord(folder: string, record: ModelRecord): Promise<InstalledModel> {
  await writeDurably(path.join(folder, record.file) + RECORD_END, `${JSON.stringify(record, null, 2)}\n`);
  return toInstalled(folder, record);
}

export function removeRecord(modelFile: string): Promise<void> {
  return removeDurably(modelFile + RECORD_END);
}

/** A record whose file is missing or has another size does not count. */
export async function readInstalled(folder: string): Promise<InstalledModel[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const records = names
    .filter((name) => name.endsWith(RECORD_END) && !name.startsWith('.'))
    .map(async (name) => {
      const record = await readJsonFile(path.join(folder, name), RecordSchema);
      if (record === undefined) return [];
      const size = await getSize(path.join(folder, record.file));
      return size === record.bytes ? [toInstalled(folder, record)] : [];
    });
  return (await Promise.all(records)).flat();
}

function toInstalled(folder: string, { name, kind, file, bytes, sha256, installedAt }: ModelRecord): InstalledModel {
  return { name, kind, path: path.join(folder, file), bytes, sha256, installedAt };
}

const MEBIBYTE = 1024 * 1024;
const REPORT_EVERY_BYTES = 16 * MEBIBYTE;

/** What stays free on the disk: the lesser of both, as for uploads. */
export type FreeRoom = Readonly<{ bytes: number; percent: number }>;

/** Throws ModelError `disk_full` where `bytes` more would take what has to stay free. */
export async function checkFreeRoom(folder: string, bytes: number, freeRoom: FreeRoom): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const spare = Math.min(freeRoom.bytes, (blocks * bsize * freeRoom.percent) / 100);
  const neededBytes = Math.ceil(bytes + spare);
  if (freeBytes < neededBytes) throw new ModelError('disk_full', { neededBytes, freeBytes });
}

/** SHA-256 of a file, in hexadecimal. */
export async function hashFile(
  file: string,
  signal: AbortSignal,
  onProgress: (doneBytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  let reported = 0;
  for await (const piece of createReadStream(file, { signal, highWaterMark: MEBIBYTE }) as AsyncIterable<Buffer>) {
    hash.update(piece);
    done += piece.byteLength;
    if (done - reported < REPORT_EVERY_BYTES) continue;
    reported = done;
    onProgress(done);
  }
  onProgress(done);
  return hash.digest('hex');
}

/** undefined where there is no such file. */
export async function getSize(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size;
}

const REFRESH_MS = 5_000;
/** Servers that share a folder may have clocks that differ by some seconds. */
const STALE_MS = 60_000;
const HolderSchema = z.object({ id: z.string(), host: z.string(), pid: z.number() });

/**
 * Lets one process at a time write a model, also from several machines on one folder: the lock is a file whose holder
 * renews it. A holder that ended, here or for a minute elsewhere, loses it. Throws ModelError `install_running`.
 */
export async function lockDuring<T>(target: string, work: () => Promise<T>): Promise<T> {
  const file = `${target}.lock`;
  if (!(await takeLock(file))) {
    await clearAbandoned(file);
    if (!(await takeLock(file))) throw new ModelError('install_running');
  }
  const timer = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), REFRESH_MS);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await rm(file, { force: true });
  }
}

/** A link appears whole or not at all, so no process reads a lock without its holder. */
async function takeLock(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify({ id: randomUUID(), host: hostname(), pid: process.pid }), { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Throws ModelError where the holder is at work. */
async function clearAbandoned(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return;
  const holder = await readJsonFile(file, HolderSchema);
  const isDead = holder?.host === hostname() && !isAlive(holder.pid);
  if (!isDead && Date.now() - found.mtimeMs <= STALE_MS) throw new ModelError('install_running');
  // Of several processes that see the same abandoned lock, one succeeds in renaming it.
  const old = `${file}.${randomUUID()}`;
  const isTaken = await rename(file, old).then(
    () => true,
    () => false,
  );
  if (!isTaken) return;
  // Another process was faster, and its new lock has been renamed: it gets it back.
  if ((await readJsonFile(old, HolderSchema))?.id !== holder?.id) await link(old, file).catch(() => undefined);
  await rm(old, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
}
