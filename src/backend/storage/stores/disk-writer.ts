import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '#lib/durable-file.ts';
import type { FileWriter, MinimumFree } from './object-store.ts';
import { keepFree } from './free-space.ts';
import { ignoreMissing, openPlace, remove, removeDrafts, toWriteError } from './disk.ts';
import { ignoreUntilAwaited, writeBehind } from './large-files.ts';

/**
 * Reads ahead: the next chunk while one is written, the next file while one is flushed. Flushes the folders at the end.
 */
export async function openDiskWriter(folder: string, minimumFree?: MinimumFree): Promise<FileWriter> {
  const place = await openPlace(folder, minimumFree);
  await removeDrafts(place);
  const folders = new Set<string>();
  const publish = async (safe: Promise<void>, draft: string, target: string): Promise<void> => {
    await safe;
    const parent = path.dirname(target);
    if (!folders.has(parent)) await mkdir(parent, { recursive: true });
    folders.add(parent);
    await rename(draft, target);
  };
  return {
    isEmpty: async () => {
      const entries = await readdir(place.files, { recursive: true, withFileTypes: true });
      return !entries.some((entry) => entry.isFile());
    },
    write: async (key, content) => {
      const draft = path.join(place.incoming, randomUUID());
      const { safe } = await removeOnFailure(
        draft,
        writeDraft(draft, keepFree(place.incoming, place.minimumFree)(content)),
      );
      return { safe: ignoreUntilAwaited(removeOnFailure(draft, publish(safe, draft, path.join(place.files, key)))) };
    },
    finish: async () => {
      for (const made of folders) await syncFolder(made);
      await syncFolder(place.files);
    },
    remove: (keys) => remove(place, keys),
    close: async () => undefined,
  };
}

/** Resolves when everything is written, and `safe` when it is flushed. */
async function writeDraft(file: string, content: AsyncIterable<Buffer>): Promise<{ safe: Promise<void> }> {
  const handle = await open(file, 'wx', 0o600);
  const flushed = async (flush: () => Promise<void>): Promise<void> => {
    try {
      await flush();
    } finally {
      await handle.close();
    }
  };
  try {
    const { safe } = await writeBehind(handle, content);
    return { safe: ignoreUntilAwaited(flushed(safe)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function removeOnFailure<T>(draft: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await unlink(draft).catch(ignoreMissing);
    throw toWriteError(error);
  }
}
