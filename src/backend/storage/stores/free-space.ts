import { statfs } from 'node:fs/promises';
import { StoreFullError, type FreeFloor } from '../object-store.ts';

const MEBIBYTE = 1024 * 1024;
/** A small disk keeps its percentage, but never less than this. */
const LEAST_BYTES = 128 * MEBIBYTE;
const DEFAULT_FLOOR: FreeFloor = { bytes: 512 * MEBIBYTE, percent: 5 };
/** Uploads at the same time each look this often, so that together they stay above the floor. */
const CHECK_EVERY_BYTES = 4 * MEBIBYTE;

/** Throws StoreFullError where `more` bytes on the disk of `folder` would leave less than the floor. */
export async function requireFree(folder: string, floor: number | FreeFloor = DEFAULT_FLOOR, more = 0): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  if (bavail * bsize - more < floorBytes(floor, blocks * bsize)) throw new StoreFullError();
}

/** Bytes of a disk of this size that stay free. */
export function floorBytes(floor: number | FreeFloor, diskBytes: number): number {
  if (typeof floor === 'number') return floor;
  return Math.min(floor.bytes, Math.max(LEAST_BYTES, (diskBytes * floor.percent) / 100));
}

/** Stops before the disk of `folder` is full to the last byte: PostgreSQL usually lies on the same one. */
export function keepingFree(
  folder: string,
  floor?: number | FreeFloor,
): (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer> {
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
