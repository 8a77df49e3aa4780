import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { pack, type Pack } from 'tar-stream';
import { renameDurably } from '#lib/durable-file.ts';
import { type Bytes, expectBuffers } from '../bytes.ts';
import {
  createSums,
  type Facts,
  formatGroupName,
  type Manifest,
  createManifest,
  computeEntrySize,
} from './manifest.ts';
import { createSink, type Sink } from './sink.ts';
import { addTail, createHeader } from './tail.ts';

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
