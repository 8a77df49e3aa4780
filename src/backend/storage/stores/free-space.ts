import { statfs } from 'node:fs/promises';
import { type Floor, StoreFullError } from './object-store.ts';

const MEBIBYTE = 1024 * 1024;
/** A small disk keeps its percentage free, but never less than this. */
const LEAST_BYTES = 128 * MEBIBYTE;
const DEFAULT_FLOOR = { bytes: 512 * MEBIBYTE, percent: 5 };
/** Concurrent uploads check often enough to stay above the floor together. */
export const CHECK_EVERY_BYTES = 4 * MEBIBYTE;

/** Throws StoreFullError where `more` bytes on the disk of `folder` would leave less than the floor. */
export async function requireFree(folder: string, floor: Floor = DEFAULT_FLOOR, more = 0): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  if (bavail * bsize - more < getFloorBytes(floor, blocks * bsize)) throw new StoreFullError();
}

/** Bytes of a disk of this size that stay free. */
export function getFloorBytes(floor: NonNullable<Floor>, diskBytes: number): number {
  if (typeof floor === 'number') return floor;
  return Math.min(floor.bytes, Math.max(LEAST_BYTES, (diskBytes * floor.percent) / 100));
}

/** Passes bytes on until the disk of `folder` reaches the floor; PostgreSQL usually writes to the same disk. */
export function keepFree(folder: string, floor: Floor): (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer> {
  return async function* (source) {
    let untilCheck = 0;
    for await (const chunk of source) {
      untilCheck -= chunk.length;
      if (untilCheck <= 0) {
        await requireFree(folder, floor);
        untilCheck = CHECK_EVERY_BYTES;
      }
      yield chunk;
    }
  };
}
