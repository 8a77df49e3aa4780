import { open, rm, statfs, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { createWriteBehind } from '#backend/maintenance.ts';
import { renameDurably } from '#lib/durable-file.ts';
import { isDiskFull } from '#lib/error-code.ts';
import type { Bytes } from '../bytes.ts';
import { BackupError } from '../errors.ts';
import {
  buildHeader,
  buildPadding,
  buildTail,
  createManifest,
  createSums,
  formatGroupName,
  type Facts,
  type Manifest,
} from './manifest.ts';
import { createChecksums, type Checksums } from './sha256.ts';

export type ArchiveWriter = Readonly<{
  add: (name: string, content: Buffer) => Promise<void>;
  /** `content` has to be exactly `size` bytes. */
  addStream: (name: string, size: number, content: Bytes) => Promise<void>;
}>;

export type WriteOptions = Readonly<{
  createdAt: string;
  /** Bytes that stay free on the disk. */
  spare: number;
  signal: AbortSignal;
}>;

/**
 * Writes `file` by way of `<file>.part`: it appears whole, durable and readable for its owner only, or not at all.
 * Throws BackupError `disk_full`, the reason of the signal, and whatever `fill` throws.
 */
export async function writeArchive(
  file: string,
  options: WriteOptions,
  fill: (writer: ArchiveWriter) => Promise<Facts>,
): Promise<Manifest> {
  const draft = `${file}.part`;
  await rm(draft, { force: true });
  const handle = await open(draft, 'wx', 0o600);
  const sink = createSink(handle, path.dirname(file), options.spare);
  const checksums = createChecksums();
  try {
    const target = { sink, checksums, createdAt: options.createdAt };
    const manifest = await untilAborted(options.signal, () => fillArchive(target, fill));
    await sink.flush();
    await handle.close();
    await renameDurably(draft, file);
    return manifest;
  } catch (error) {
    // Waits for the writing only: a source that hangs does not hold up the failure.
    await sink.stop();
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  } finally {
    await checksums.close();
  }
}

/** Throws the signal's reason at once; what the work still does then has no effect on the result. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

type Target = Readonly<{ sink: Sink; checksums: Checksums; createdAt: string }>;

async function fillArchive(target: Target, fill: (writer: ArchiveWriter) => Promise<Facts>): Promise<Manifest> {
  const sums = createSums();
  let groups = 0;
  const closeGroup = async (): Promise<void> => {
    const group = sums.takeGroup();
    if (group === undefined) return;
    groups += 1;
    await addEntry(target, { name: formatGroupName(groups), size: group.length }, [group]);
  };
  const addStream: ArchiveWriter['addStream'] = async (name, size, content) => {
    sums.add({ name, sha256: await addEntry(target, { name, size }, content) });
    if (sums.full()) await closeGroup();
  };
  const facts = await fill({ add: (name, content) => addStream(name, content.length, [content]), addStream });
  await closeGroup();
  const manifest = createManifest(facts, { ...sums.total(), ...target.sink.written() });
  await target.sink.write(await buildTail(manifest));
  return manifest;
}

type EntryFacts = Readonly<{ name: string; size: number }>;

/** Resolves with the content's SHA-256. */
async function addEntry(
  { sink, checksums, createdAt }: Target,
  { name, size }: EntryFacts,
  content: Bytes,
): Promise<string> {
  const checksum = checksums.begin(size);
  let bytes = 0;
  await sink.write(await buildHeader({ name, size, createdAt }));
  for await (const chunk of content) {
    bytes += chunk.length;
    await Promise.all([checksum.update(chunk), sink.write(chunk)]);
  }
  if (bytes !== size) throw new Error(`${name} has ${bytes} bytes in place of ${size}`);
  await sink.write(buildPadding(size));
  return checksum.digest();
}

const MEBIBYTE = 1024 * 1024;
const SPACE_CHECK_EVERY_BYTES = 32 * MEBIBYTE;

type Sink = ReturnType<typeof createSink>;

/**
 * Writes and counts the bytes of an archive. `spare`: bytes that stay free on the disk. Gathers small chunks: writing
 * 512 bytes costs as much as a mebibyte. `write` takes one chunk after another; each has to stay as it is until the
 * next one is taken. `flush` brings everything to the disk; both throw BackupError `disk_full`. `stop` takes no more
 * chunks and resolves when nothing is being written.
 */
export function createSink(handle: FileHandle, folder: string, spare: number) {
  const file = createWriteBehind(handle);
  const requireSpace = createSpaceCheck(folder, spare);
  // One is filled while the other is written.
  let [held, other] = [Buffer.allocUnsafeSlow(MEBIBYTE), Buffer.allocUnsafeSlow(MEBIBYTE)];
  let filled = 0;
  let written = { bytes: 0, crc32: 0 };
  let stopped = false;
  const put = async (chunk: Buffer): Promise<void> => {
    await requireSpace(chunk.length);
    if (stopped) throw new Error('the archive is given up');
    await file.write(chunk);
  };
  const putHeld = async (): Promise<void> => {
    const chunk = held.subarray(0, filled);
    [held, other] = [other, held];
    filled = 0;
    if (chunk.length > 0) await put(chunk);
  };
  const take = async (chunk: Buffer): Promise<void> => {
    written = { bytes: written.bytes + chunk.length, crc32: crc32(chunk, written.crc32) };
    if (filled + chunk.length > MEBIBYTE) await putHeld();
    if (chunk.length >= MEBIBYTE) return put(chunk);
    filled += chunk.copy(held, filled);
    return file.written();
  };
  const putAll = async (): Promise<void> => {
    await putHeld();
    await file.flush();
  };
  return {
    write: (chunk: Buffer): Promise<void> => take(chunk).catch((error: unknown) => throwSinkError(error, folder)),
    written: () => written,
    flush: (): Promise<void> => putAll().catch((error: unknown) => throwSinkError(error, folder)),
    stop: async (): Promise<void> => {
      stopped = true;
      await file.written().catch(() => undefined);
    },
  };
}

function throwSinkError(error: unknown, folder: string): never {
  throw isDiskFull(error) ? new BackupError('disk_full', folder, { cause: error }) : error;
}

/** Returns a function that is told of each chunk before it is written. Throws BackupError `disk_full`. */
function createSpaceCheck(folder: string, spare: number): (bytes: number) => Promise<void> {
  let unchecked = SPACE_CHECK_EVERY_BYTES;
  return async (bytes) => {
    unchecked += bytes;
    if (spare === 0 || unchecked < SPACE_CHECK_EVERY_BYTES) return;
    unchecked = 0;
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < spare) throw new BackupError('disk_full', folder);
  };
}
