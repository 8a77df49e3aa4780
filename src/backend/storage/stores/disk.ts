import { randomUUID } from 'node:crypto';
import { access, link, mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '#lib/durable-file.ts';
import { getErrorCode, isDiskFull } from '#lib/error-code.ts';
import { flushAlong } from './flush-along.ts';
import {
  MissingFileError,
  StoreFullError,
  type ByteRange,
  type FileReader,
  type FreeFloor,
  type ObjectStore,
  type StoredFile,
} from '../object-store.ts';
import { digesting } from './digest.ts';
import { keepingFree, requireFree } from './free-space.ts';

const MEBIBYTE = 1024 * 1024;
const READ_CHUNK_BYTES = 64 * 1024;
/** Whole files, one after the other: each read costs the same, however much it brings. */
const BULK_CHUNK_BYTES = MEBIBYTE;

type Floor = number | FreeFloor | undefined;
type DiskLocation = Readonly<{ folder: string; freeBytesFloor?: Floor; shared?: boolean }>;
type Place = Readonly<{ files: string; incoming: string; floor: Floor }>;

/**
 * Files below `folder`. A file is written under a temporary name, flushed, renamed, and its folder flushed: what has
 * been acknowledged survives a crash, and half a file is never seen. Unless `shared`, the folder is for this process
 * alone.
 */
export async function openDiskStore({ folder, freeBytesFloor, shared = false }: DiskLocation): Promise<ObjectStore> {
  const place = await openPlace(folder, freeBytesFloor);
  if (!shared) await tidy(place);
  return {
    exclusive: !shared,
    requireRoom: (bytes) => requireFree(place.incoming, place.floor, bytes),
    put: (key, content) => put(place, key, content),
    get: (key, range) => get(place, key, range),
    copy: (from, to) => copy(place, from, to),
    remove: (keys) => remove(place, keys),
    ping: () => access(place.files),
    close: async () => undefined,
  };
}

export async function openPlace(folder: string, floor: Floor): Promise<Place> {
  const place = { files: filesIn(folder), incoming: path.join(folder, 'incoming'), floor };
  await mkdir(place.incoming, { recursive: true });
  await mkdir(place.files, { recursive: true });
  return place;
}

/** What lies there was cut short by the end of an earlier process. */
export async function tidy({ incoming }: Place): Promise<void> {
  for (const name of await readdir(incoming)) await rm(path.join(incoming, name), { recursive: true, force: true });
}

/** Unlike the store itself it may read where another process writes. */
export function diskFileReader(folder: string): FileReader {
  return {
    open: async (key, start = 0) => {
      try {
        const handle = await open(path.join(filesIn(folder), key), 'r');
        const { size } = await handle.stat();
        const content = handle.createReadStream({ start, highWaterMark: BULK_CHUNK_BYTES });
        return { bytes: Math.max(0, size - start), content };
      } catch (error) {
        throw readError(error);
      }
    },
    close: async () => undefined,
  };
}

function filesIn(folder: string): string {
  return path.join(folder, 'objects');
}

async function put(place: Place, key: string, content: Readable): Promise<StoredFile> {
  const digest = digesting();
  await receive(place, key, (sink) => pipeline(content, keepingFree(place.incoming, place.floor), digest.stream, sink));
  return digest.result();
}

/** Lets the bytes that are poured appear under the key, all of them and durably, or leaves nothing. */
async function receive(place: Place, key: string, pour: (sink: Sink) => Promise<void>): Promise<void> {
  const temporary = path.join(place.incoming, randomUUID());
  try {
    await writeFlushed(temporary, pour);
    await publish(place, key, (target) => rename(temporary, target));
  } catch (error) {
    await unlink(temporary).catch(ignoreMissing);
    throw writeError(error);
  }
}

export async function remove(place: Place, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => unlink(path.join(place.files, key)).catch(ignoreMissing)));
}

type Sink = (source: AsyncIterable<Buffer>) => Promise<void>;

async function writeFlushed(file: string, pour: (sink: Sink) => Promise<void>): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  const flush = flushAlong(handle);
  const counted = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      yield chunk;
      flush.wrote(chunk.length);
    }
  };
  try {
    await pour((source) => handle.writeFile(counted(source)));
    await flush.end();
  } finally {
    await handle.close();
  }
}

/** Lets the file appear under its key, durably. */
async function publish(
  place: Pick<Place, 'files'>,
  key: string,
  appear: (target: string) => Promise<void>,
): Promise<void> {
  const target = path.join(place.files, key);
  const made = await mkdir(path.dirname(target), { recursive: true });
  await appear(target);
  await syncFolder(path.dirname(target));
  if (made !== undefined) await syncFolder(place.files);
}

/**
 * Makes the bytes of a file on the same disk the store's under this key, without copying them: flushed, then named. The
 * file stays where it is under its own name too, so this can be repeated. Throws MissingFileError and StoreFullError.
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
    await publish({ files: filesIn(folder) }, key, (target) => link(file, target).catch(ignoreExisting));
  } catch (error) {
    throw writeError(readError(error));
  }
}

/** Files never change, so two keys may share one. */
async function copy(place: Place, from: string, to: string): Promise<void> {
  try {
    await publish(place, to, (target) => link(path.join(place.files, from), target));
  } catch (error) {
    throw writeError(readError(error));
  }
}

async function get(place: Place, key: string, range?: ByteRange): Promise<Readable> {
  try {
    const handle = await open(path.join(place.files, key), 'r');
    return handle.createReadStream({ ...range, highWaterMark: READ_CHUNK_BYTES });
  } catch (error) {
    throw readError(error);
  }
}

export function writeError(error: unknown): unknown {
  return isDiskFull(error) ? new StoreFullError({ cause: error }) : error;
}

function readError(error: unknown): unknown {
  return getErrorCode(error) === 'ENOENT' ? new MissingFileError({ cause: error }) : error;
}

export function ignoreMissing(error: unknown): void {
  if (getErrorCode(error) !== 'ENOENT') throw error;
}

function ignoreExisting(error: unknown): void {
  if (getErrorCode(error) !== 'EEXIST') throw error;
}
