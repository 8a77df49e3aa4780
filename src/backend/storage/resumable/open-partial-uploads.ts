import { type FileHandle, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileConfigstore, FileStore } from '@tus/file-store';
import type { Upload } from '@tus/utils';
import { ownsChunks } from '#http/body-memory.ts';
import { removeUnfinishedFiles, writeDurably } from '#lib/durable-file.ts';
import { adoptFile, toWriteError } from '../stores/disk.ts';
import { createFileSink } from '../stores/file-sink.ts';
import { requireFree } from '../stores/free-space.ts';
import { storeKey, type MinimumFree, type ObjectStore, type StoreLocation } from '../stores/object-store.ts';
import { ignoreUntilAwaited } from '../stores/large-files.ts';
import { getDirectBody, pipeDirectBody } from './direct-body.ts';
import {
  ignoreMissingUpload,
  leadsTo,
  PARTIAL_LIFE_MS,
  type Destination,
  type PartialUploads,
} from './partial-uploads.ts';

export async function openPartialUploads(location: StoreLocation, store: ObjectStore): Promise<PartialUploads> {
  if (location.kind === 'disk') return openDiskPartialUploads(location, store);
  // Loaded only where it is used: the client is large.
  const { openS3PartialUploads } = await import('./s3-partial-uploads.ts');
  return openS3PartialUploads(location, store);
}

async function openDiskPartialUploads(
  { folder, minimumFree }: Extract<StoreLocation, { kind: 'disk' }>,
  { exclusive }: ObjectStore,
): Promise<PartialUploads> {
  const directory = path.join(folder, 'resumable');
  // The library's constructor makes it without waiting, and ends the process where that fails.
  await mkdir(directory, { recursive: true });
  if (exclusive) await removeUnfinishedFiles(directory);
  const datastore = new DiskFiles(directory, minimumFree);
  return {
    datastore,
    takesBodies: true,
    toId: (version) => version,
    toVersion: (id) => id,
    publish: async (version) => {
      await datastore.waitForFlush(version);
      await adoptFile(folder, path.join(directory, version), storeKey(version));
    },
    forget: (version) => datastore.remove(version),
    remove: (version) => datastore.remove(version).catch(ignoreMissingUpload),
    removeUploadsTo: (destination) => removeUploads(directory, destination),
    removeExpired: async () => void (await datastore.deleteExpired()),
    requireSpace: (bytes) => requireFree(folder, minimumFree, bytes),
  };
}

const NOTE_ENDING = '.json';

async function removeUploads(directory: string, destination: Destination): Promise<void> {
  for (const id of await listNotes(directory)) {
    const text = await readFile(path.join(directory, `${id}${NOTE_ENDING}`), 'utf8').catch(() => '');
    if (leadsTo(text, destination)) await removeUpload(directory, id);
  }
}

/** The ids of all uploads that have a note. */
async function listNotes(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.endsWith(NOTE_ENDING)).map((name) => name.slice(0, -NOTE_ENDING.length));
}

/** Removes bytes and note, of which a crash or another server may have left only one. */
async function removeUpload(directory: string, id: string): Promise<void> {
  await rm(path.join(directory, id), { force: true });
  await rm(path.join(directory, `${id}${NOTE_ENDING}`), { force: true });
}

/** An upload is flushed in steps of this size while its next parts arrive, so that little is left for its end. */
const FLUSH_STEP_BYTES = 16 * 1024 * 1024;

/** The library's file store, which also reports a full disk and never fills it to the last byte. */
class DiskFiles extends FileStore {
  readonly #minimumFree: MinimumFree;
  readonly #flushes = new Map<string, Promise<void>>();
  readonly #losses = new Map<string, Error>();

  constructor(directory: string, minimumFree: MinimumFree) {
    super({ directory, configstore: new Notes(directory), expirationPeriodInMilliseconds: PARTIAL_LIFE_MS });
    this.#minimumFree = minimumFree;
  }

  /** Returns the offset after the last byte. Throws StoreFullError, and the error that destroys `content`. */
  override async write(content: Readable, id: string, offset: number): Promise<number> {
    const handle = await open(path.join(this.directory, id), 'r+');
    let end = offset;
    try {
      end += await this.#writeTo(handle, content, offset);
    } finally {
      const reachesStep = Math.floor(end / FLUSH_STEP_BYTES) > Math.floor(offset / FLUSH_STEP_BYTES);
      if (reachesStep) this.#flushAndClose(id, handle);
      else await handle.close();
    }
    return end;
  }

  /** Rejects once where bytes of the upload could not be flushed, so that the cause is told; then it is gone. */
  override async getUpload(id: string): Promise<Upload> {
    const lost = this.#losses.get(id);
    this.#losses.delete(id);
    if (lost !== undefined) throw lost;
    return super.getUpload(id);
  }

  /**
   * The library passes over a note whose bytes are gone, and awaits its removals only when it has begun them all: one
   * that another server was faster with would be an unhandled rejection.
   */
  override async deleteExpired(): Promise<number> {
    const expired = Date.now() - PARTIAL_LIFE_MS;
    let removed = 0;
    for (const id of await listNotes(this.directory)) {
      const { creation_date: created } = (await this.configstore.get(id)) ?? {};
      if (created === undefined || Date.parse(created) >= expired) continue;
      await removeUpload(this.directory, id);
      removed += 1;
    }
    return removed;
  }

  /** Rejects where bytes of the upload could not be flushed. */
  async waitForFlush(id: string): Promise<void> {
    await this.#flushes.get(id);
  }

  async #writeTo(handle: FileHandle, content: Readable, start: number): Promise<number> {
    let written = 0;
    const onChunk = (chunk: Buffer): void => void (written += chunk.length);
    const options = { folder: this.directory, minimumFree: this.#minimumFree, start, onChunk };
    const body = getDirectBody();
    try {
      if (body === undefined) await pipeline(content, createFileSink(handle, options));
      else await pipeDirectBody(body, createFileSink(handle, { ...options, ownsChunks: ownsChunks(body.request) }));
    } catch (error) {
      throw toWriteError(error);
    }
    return written;
  }

  #flushAndClose(id: string, handle: FileHandle): void {
    const before = this.#flushes.get(id);
    const flush = async (): Promise<void> => {
      try {
        await handle.datasync();
        await before;
      } catch (error) {
        // The kernel reports bytes that it lost once, so a later flush would succeed without them.
        await this.remove(id).catch(() => undefined);
        this.#losses.set(id, new Error('bytes of an upload could not be flushed', { cause: error }));
        throw error;
      } finally {
        await handle.close();
      }
      if (this.#flushes.get(id) === flushed) this.#flushes.delete(id);
    };
    const flushed = ignoreUntilAwaited(flush());
    this.#flushes.set(id, flushed);
  }
}

const MAX_REMEMBERED = 200;

/** The library's notes, which it reads twice for each part. One that names the size of the upload does not change. */
class Notes extends FileConfigstore {
  readonly #remembered = new Map<string, Upload>();

  override async get(id: string): Promise<Upload | undefined> {
    const note = this.#remembered.get(id) ?? (await super.get(id));
    if (note?.size === undefined) return note;
    if (this.#remembered.size === MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(id, note);
    return note;
  }

  /** Whole at any moment: one that is being written would be read as none, and its client would give up. */
  override async set(id: string, note: Upload): Promise<void> {
    await writeDurably(path.join(this.directory, `${id}${NOTE_ENDING}`), JSON.stringify(note));
  }

  override async delete(id: string): Promise<void> {
    this.#remembered.delete(id);
    await super.delete(id);
  }
}
