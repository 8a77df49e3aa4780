import { statfs } from 'node:fs/promises';
import { type MinimumFree, StoreFullError } from './object-store.ts';

const MEBIBYTE = 1024 * 1024;
/** A small disk keeps its percentage free, but never less than this. */
const LEAST_BYTES = 128 * MEBIBYTE;
const DEFAULT_MINIMUM = { bytes: 512 * MEBIBYTE, percent: 5 };
/** Concurrent uploads check often enough to keep the minimum together. */
export const CHECK_EVERY_BYTES = 4 * MEBIBYTE;

/** Throws StoreFullError where `more` bytes on the disk of `folder` would leave less than the minimum. */
export async function requireFree(folder: string, minimumFree: MinimumFree = DEFAULT_MINIMUM, more = 0): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  if (bavail * bsize - more < getMinimumFreeBytes(minimumFree, blocks * bsize)) throw new StoreFullError();
}

/** Bytes of a disk of this size that stay free. */
export function getMinimumFreeBytes(minimumFree: NonNullable<MinimumFree>, diskBytes: number): number {
  if (typeof minimumFree === 'number') return minimumFree;
  return Math.min(minimumFree.bytes, Math.max(LEAST_BYTES, (diskBytes * minimumFree.percent) / 100));
}

/** Passes bytes on until the disk of `folder` is down to the minimum; PostgreSQL usually writes to the same disk. */
export function keepFree(
  folder: string,
  minimumFree: MinimumFree,
): (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer> {
  return async function* (source) {
    let untilCheck = 0;
    for await (const chunk of source) {
      untilCheck -= chunk.length;
      if (untilCheck <= 0) {
        await requireFree(folder, minimumFree);
        untilCheck = CHECK_EVERY_BYTES;
      }
      yield chunk;
    }
  };
}
