import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, rm, statfs, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { writeBehind } from '#backend/maintenance.ts';
import { renameDurably } from '#lib/durable-file.ts';
import { isDiskFull } from '#lib/error-code.ts';
import { expectBuffers, type Bytes } from '../bytes.ts';
import { BackupError } from '../errors.ts';
import {
  addTail,
  computeEntrySize,
  createHeader,
  createManifest,
  createSums,
  formatGroupName,
  type Facts,
  type Manifest,
} from './manifest.ts';

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
  try {
    const sink = createSink(handle, path.dirname(file), options.spare);
    const manifest = await pourArchive(sink, options, fill);
    await handle.close();
    await renameDurably(draft, file);
    return manifest;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

async function pourArchive(
  sink: Sink,
  options: WriteOptions,
  fill: (writer: ArchiveWriter) => Promise<Facts>,
): Promise<Manifest> {
  const archive = pack({ highWaterMark: 1024 * 1024 });
  const failed = Promise.withResolvers<never>();
  const fail = (error: unknown): void => {
    failed.reject(error);
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
  };
  const abort = (): void => fail(options.signal.reason);
  options.signal.addEventListener('abort', abort, { once: true });
  if (options.signal.aborted) abort();
  const pouring = sink.pour(expectBuffers(archive));
  const filling = fillArchive({ archive, sink, createdAt: options.createdAt, failed: failed.promise }, fill);
  // The first failure is the one to report.
  pouring.catch(fail);
  filling.catch(fail);
  try {
    const [manifest] = await Promise.race([Promise.all([filling, pouring]), failed.promise]);
    return manifest;
  } finally {
    options.signal.removeEventListener('abort', abort);
    // Waits for the writing only: a source that hangs does not hold up the failure.
    await pouring.catch(() => undefined);
  }
}

type Filling = Readonly<{ archive: Pack; sink: Sink; createdAt: string; failed: Promise<never> }>;

async function fillArchive(
  { archive, sink, createdAt, failed }: Filling,
  fill: (writer: ArchiveWriter) => Promise<Facts>,
): Promise<Manifest> {
  const sums = createSums();
  const header = createHeader(createdAt);
  let position = 0;
  let groups = 0;
  const put = async (name: string, size: number, content: Bytes): Promise<string> => {
    const sha256 = await addEntry(archive, { ...header, name, size }, content);
    position += computeEntrySize(size);
    return sha256;
  };
  const closeGroup = async (): Promise<void> => {
    const group = sums.takeGroup();
    if (group === undefined) return;
    groups += 1;
    await put(formatGroupName(groups), group.length, [group]);
  };
  const addStream: ArchiveWriter['addStream'] = async (name, size, content) => {
    sums.add({ name, sha256: await put(name, size, content) });
    if (sums.full()) await closeGroup();
  };
  const facts = await fill({ add: (name, content) => addStream(name, content.length, [content]), addStream });
  await closeGroup();
  const { crc32 } = await Promise.race([sink.reached(position), failed]);
  const manifest = createManifest(facts, { ...sums.total(), bytes: position, crc32 });
  addTail(archive, manifest);
  return manifest;
}

type EntryHeader = Readonly<{ name: string; size: number; mode: number; mtime: Date }>;

/** Resolves with the content's SHA-256 when all of it was passed on. */
async function addEntry(archive: Pack, header: EntryHeader, content: Bytes): Promise<string> {
  const hash = createHash('sha256');
  const ended = Promise.withResolvers<undefined>();
  const entry = archive.entry({ ...header }, (error) => (error ? ended.reject(error) : ended.resolve(undefined)));
  entry.on('error', ended.reject);
  for await (const chunk of content) {
    hash.update(chunk);
    if (!entry.write(chunk)) await Promise.race([once(entry, 'drain'), ended.promise]);
  }
  entry.end(null);
  await ended.promise;
  return hash.digest('hex');
}

const MEBIBYTE = 1024 * 1024;
const SPACE_CHECK_EVERY_BYTES = 32 * MEBIBYTE;

type SinkState = Readonly<{ position: number; crc32: number }>;

/** Writes and counts the bytes of an archive. */
type Sink = Readonly<{
  /** Writes everything and flushes it to disk. Throws BackupError `disk_full`. */
  pour: (content: AsyncIterable<Buffer>) => Promise<void>;
  /** Resolves once exactly `position` bytes have gone through. */
  reached: (position: number) => Promise<SinkState>;
}>;

/** `spare`: bytes that stay free on the disk. */
export function createSink(handle: FileHandle, folder: string, spare: number): Sink {
  let state: SinkState = { position: 0, crc32: 0 };
  let waiting: { position: number; tell: (state: SinkState) => void } | undefined;
  const count = (chunk: Buffer): void => {
    state = { position: state.position + chunk.length, crc32: crc32(chunk, state.crc32) };
    if (waiting?.position === state.position) waiting.tell(state);
  };
  return {
    pour: async (content) => {
      try {
        const { safe } = await writeBehind(handle, checkSpace(gatherChunks(content, count), folder, spare));
        await safe();
      } catch (error) {
        throw isDiskFull(error) ? new BackupError('disk_full', folder, { cause: error }) : error;
      }
    },
    reached: (position) =>
      state.position === position
        ? Promise.resolve(state)
        : new Promise((resolve) => (waiting = { position, tell: resolve })),
  };
}

async function* checkSpace(content: AsyncIterable<Buffer>, folder: string, spare: number): AsyncGenerator<Buffer> {
  let unchecked = SPACE_CHECK_EVERY_BYTES;
  for await (const chunk of content) {
    unchecked += chunk.length;
    if (spare > 0 && unchecked >= SPACE_CHECK_EVERY_BYTES) {
      unchecked = 0;
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < spare) throw new BackupError('disk_full', folder);
    }
    yield chunk;
  }
}

/**
 * Gathers small chunks, because writing 512 bytes costs as much as a mebibyte. Fills one buffer while the other is
 * written.
 */
async function* gatherChunks(content: AsyncIterable<Buffer>, count: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  let [held, other] = [Buffer.allocUnsafeSlow(MEBIBYTE), Buffer.allocUnsafeSlow(MEBIBYTE)];
  let filled = 0;
  for await (const chunk of content) {
    count(chunk);
    if (filled + chunk.length > held.length) {
      yield held.subarray(0, filled);
      [held, other] = [other, held];
      filled = 0;
    }
    if (chunk.length >= held.length) yield chunk;
    else filled += chunk.copy(held, filled);
  }
  yield held.subarray(0, filled);
}
