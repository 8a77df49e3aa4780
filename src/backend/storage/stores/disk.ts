import { randomUUID } from 'node:crypto';
import { access, link, mkdir, open, readdir, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '#lib/durable-file.ts';
import { getErrorCode, isDiskFull } from '#lib/error-code.ts';
import { createFlusher, createReadAhead } from './large-files.ts';
import {
  createDigest,
  type FileReader,
  type MinimumFree,
  MissingFileError,
  type ObjectStore,
  type PutOptions,
  removeEach,
  type StoredFile,
  StoreFullError,
} from './object-store.ts';
import { createFileSink } from './file-sink.ts';
import { requireFree } from './free-space.ts';
import { readForPipe } from './read-for-pipe.ts';

const READ_CHUNK_BYTES = 64 * 1024;
/** A backup reads whole files, which large chunks make faster. */
const BULK_CHUNK_BYTES = 1024 * 1024;

type DiskLocation = Readonly<{ folder: string; minimumFree?: MinimumFree; shared?: boolean }>;
type Place = Readonly<{ files: string; incoming: string; minimumFree: MinimumFree }>;

/**
 * Keeps files below `folder`. A file is written under a temporary name, flushed and renamed: an acknowledged one
 * survives a crash, an incomplete one is never visible. Unless `shared`, only this process uses the folder.
 */
export async function openDiskStore({ folder, minimumFree, shared = false }: DiskLocation): Promise<ObjectStore> {
  const place = await openPlace(folder, minimumFree);
  if (!shared) await removeDrafts(place);
  return {
    exclusive: !shared,
    requireSpace: (bytes) => requireFree(place.incoming, place.minimumFree, bytes),
    put: (key, content, _type, options) => put(place, key, content, options),
    get: (key, range) =>
      openFile(place, key, (handle) => handle.createReadStream({ ...range, highWaterMark: READ_CHUNK_BYTES })),
    getForPipe: (key, { start, end }) => openFile(place, key, (handle) => readForPipe(handle, start, end + 1 - start)),
    copy: (from, to) => copy(place, from, to),
    remove: (keys) => remove(place, keys),
    ping: () => access(place.files),
    close: async () => undefined,
  };
}

export async function openPlace(folder: string, minimumFree: MinimumFree): Promise<Place> {
  const place = { files: getFilesFolder(folder), incoming: path.join(folder, 'incoming'), minimumFree };
  await mkdir(place.incoming, { recursive: true });
  await mkdir(place.files, { recursive: true });
  return place;
}

/** Removes the files that an earlier process did not complete. */
export async function removeDrafts({ incoming }: Place): Promise<void> {
  for (const name of await readdir(incoming)) await rm(path.join(incoming, name), { recursive: true, force: true });
}

/** Reads a folder in which another process may write. */
export function openDiskReader(folder: string): FileReader {
  const readAhead = createReadAhead();
  return {
    open: async (key, { start = 0, reuse = false } = {}) => {
      try {
        const handle = await open(path.join(getFilesFolder(folder), key), 'r');
        const { size } = await handle.stat();
        const bytes = Math.max(0, size - start);
        if (reuse) {
          const content = closeAtEnd(handle, readAhead(handle, start, size));
          return { bytes, content, cancel: () => void handle.close() };
        }
        const content = handle.createReadStream({ start, highWaterMark: BULK_CHUNK_BYTES });
        return { bytes, content, cancel: () => void content.destroy() };
      } catch (error) {
        throw toReadError(error);
      }
    },
    close: async () => undefined,
  };
}

async function* closeAtEnd(handle: FileHandle, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } finally {
    await handle.close();
  }
}

const getFilesFolder = (folder: string): string => path.join(folder, 'objects');

async function put(place: Place, key: string, content: Readable, options: PutOptions = {}): Promise<StoredFile> {
  const draft = path.join(place.incoming, randomUUID());
  try {
    const stored = await writeFlushed(place, draft, content, options.ownsChunks);
    await options.ready;
    await publish(place, key, (target) => rename(draft, target));
    return stored;
  } catch (error) {
    await unlink(draft).catch(ignoreMissing);
    throw toWriteError(error);
  }
}

export async function remove(place: Place, keys: readonly string[]): Promise<void> {
  await removeEach(keys, (key) => unlink(path.join(place.files, key)).catch(ignoreMissing));
}

async function writeFlushed(
  { incoming, minimumFree }: Place,
  file: string,
  content: Readable,
  ownsChunks = false,
): Promise<StoredFile> {
  const handle = await open(file, 'wx', 0o600);
  const digest = createDigest();
  const flush = createFlusher(handle);
  const onChunk = (chunk: Buffer): void => {
    digest.update(chunk);
    flush.wrote(chunk.length);
  };
  try {
    await pipeline(content, createFileSink(handle, { folder: incoming, minimumFree, onChunk, ownsChunks }));
    await flush.end();
    return digest.result();
  } finally {
    await handle.close();
  }
}

/** Names the file by its key, durably. */
async function publish(
  place: Pick<Place, 'files'>,
  key: string,
  nameFile: (target: string) => Promise<void>,
): Promise<void> {
  const target = path.join(place.files, key);
  const made = await mkdir(path.dirname(target), { recursive: true });
  await nameFile(target);
  await syncFolder(path.dirname(target));
  if (made !== undefined) await syncFolder(place.files);
}

/**
 * Makes a file on the same disk a file of the store without a copy. It keeps its own name too, so this is repeatable.
 * Throws MissingFileError and StoreFullError.
 */
export async function adoptFile(folder: string, file: string, key: string): Promise<void> {
  try {
    const handle = await open(file, 'r+');
    try {
      await handle.chmod(0o600);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await publish({ files: getFilesFolder(folder) }, key, (target) => link(file, target).catch(ignoreExisting));
  } catch (error) {
    throw toWriteError(toReadError(error));
  }
}

/** Files never change, so two keys may share one file. */
async function copy(place: Place, from: string, to: string): Promise<void> {
  try {
    await publish(place, to, (target) => link(path.join(place.files, from), target));
  } catch (error) {
    throw toWriteError(toReadError(error));
  }
}

async function openFile(place: Place, key: string, read: (handle: FileHandle) => Readable): Promise<Readable> {
  try {
    return read(await open(path.join(place.files, key), 'r'));
  } catch (error) {
    throw toReadError(error);
  }
}

export function toWriteError(error: unknown): unknown {
  return isDiskFull(error) ? new StoreFullError({ cause: error }) : error;
}

function toReadError(error: unknown): unknown {
  return getErrorCode(error) === 'ENOENT' ? new MissingFileError({ cause: error }) : error;
}

export function ignoreMissing(error: unknown): void {
  if (getErrorCode(error) !== 'ENOENT') throw error;
}

function ignoreExisting(error: unknown): void {
  if (getErrorCode(error) !== 'EEXIST') throw error;
}
