import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileStore } from '@tus/file-store';
import { ownsChunks } from '#http/body-memory.ts';
import { adoptFile, toWriteError } from '../stores/disk.ts';
import { createFileSink } from '../stores/file-sink.ts';
import { requireFree } from '../stores/free-space.ts';
import { storeKey, type MinimumFree, type ObjectStore, type StoreLocation } from '../stores/object-store.ts';
import { getDirectBody, pipeDirectBody } from './direct-body.ts';
import { leadsTo, PARTIAL_LIFE_MS, type Destination, type PartialUploads } from './partial-uploads.ts';

export async function openPartialUploads(location: StoreLocation, store: ObjectStore): Promise<PartialUploads> {
  if (location.kind === 'disk') return openDiskPartialUploads(location.folder, location.minimumFree);
  // Loaded only where it is used: the client is large.
  const { openS3PartialUploads } = await import('./s3-partial-uploads.ts');
  return openS3PartialUploads(location, store);
}

async function openDiskPartialUploads(folder: string, minimumFree: MinimumFree): Promise<PartialUploads> {
  const directory = path.join(folder, 'resumable');
  // The library's constructor makes it without waiting, and ends the process where that fails.
  await mkdir(directory, { recursive: true });
  const datastore = new DiskFiles(directory, minimumFree);
  return {
    datastore,
    takesBodies: true,
    toId: (version) => version,
    toVersion: (id) => id,
    publish: (version) => adoptFile(folder, path.join(directory, version), storeKey(version)),
    forget: (version) => datastore.remove(version),
    removeUploadsTo: (destination) => removeUploads(directory, destination),
    removeExpired: async () => void (await datastore.deleteExpired()),
    requireSpace: (bytes) => requireFree(folder, minimumFree, bytes),
  };
}

const NOTE_ENDING = '.json';

/** Removes bytes and note of each upload, of which a crash may have left only one. */
async function removeUploads(directory: string, destination: Destination): Promise<void> {
  const notes = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(NOTE_ENDING));
  for (const note of notes) {
    const text = await readFile(path.join(directory, note), 'utf8').catch(() => '');
    if (!leadsTo(text, destination)) continue;
    await rm(path.join(directory, note.slice(0, -NOTE_ENDING.length)), { force: true });
    await rm(path.join(directory, note), { force: true });
  }
}

/** The library's file store, which also reports a full disk and never fills it to the last byte. */
class DiskFiles extends FileStore {
  readonly #minimumFree: MinimumFree;

  constructor(directory: string, minimumFree: MinimumFree) {
    super({ directory, expirationPeriodInMilliseconds: PARTIAL_LIFE_MS });
    this.#minimumFree = minimumFree;
  }

  /** Returns the offset after the last byte. Throws StoreFullError, and the error that destroys `content`. */
  override async write(content: Readable, id: string, offset: number): Promise<number> {
    const handle = await open(path.join(this.directory, id), 'r+');
    let written = 0;
    const onChunk = (chunk: Buffer): void => void (written += chunk.length);
    const options = { folder: this.directory, minimumFree: this.#minimumFree, start: offset, onChunk };
    const body = getDirectBody();
    try {
      if (body === undefined) await pipeline(content, createFileSink(handle, options));
      else await pipeDirectBody(body, createFileSink(handle, { ...options, ownsChunks: ownsChunks(body.request) }));
    } catch (error) {
      throw toWriteError(error);
    } finally {
      await handle.close();
    }
    return offset + written;
  }
}
