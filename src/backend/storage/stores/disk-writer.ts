import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '#lib/durable-file.ts';
import type { FileWriter, FreeFloor } from '../object-store.ts';
import { keepingFree } from './free-space.ts';
import { ignoreMissing, openPlace, remove, tidy, writeError } from './disk.ts';
import { writeBehind } from './write-behind.ts';

/**
 * While one piece is written the next is asked for, while a file is flushed the next file; folders are flushed at the
 * end.
 */
export async function openDiskWriter(folder: string, freeBytesFloor?: number | FreeFloor): Promise<FileWriter> {
  const place = await openPlace(folder, freeBytesFloor);
  await tidy(place);
  const folders = new Set<string>();
  const appear = async (safe: Promise<void>, draft: string, target: string): Promise<void> => {
    await safe;
    const parent = path.dirname(target);
    if (!folders.has(parent)) await mkdir(parent, { recursive: true });
    folders.add(parent);
    await rename(draft, target);
  };
  return {
    write: async (key, content) => {
      const draft = path.join(place.incoming, randomUUID());
      const { safe } = await orNothing(draft, pour(draft, keepingFree(place.incoming, place.floor)(content)));
      return { safe: watched(orNothing(draft, appear(safe, draft, path.join(place.files, key)))) };
    },
    finish: async () => {
      for (const made of folders) await syncFolder(made);
      await syncFolder(place.files);
    },
    remove: (keys) => remove(place, keys),
    close: async () => undefined,
  };
}

/** Resolves when everything is written, and lets it be flushed. */
async function pour(file: string, content: AsyncIterable<Buffer>): Promise<{ safe: Promise<void> }> {
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
    return { safe: watched(flushed(safe)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function orNothing<T>(draft: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await unlink(draft).catch(ignoreMissing);
    throw writeError(error);
  }
}

/** It is awaited later; until then its failure is nobody's. */
function watched<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
