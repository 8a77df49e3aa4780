import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { ModelError } from './errors.ts';

const MEBIBYTE = 1024 * 1024;
const REPORT_EVERY_BYTES = 16 * MEBIBYTE;

/** What stays free on the disk: the lesser of both, as for uploads. */
export type FreeRoom = Readonly<{ bytes: number; percent: number }>;

/** Throws ModelError `disk_full` where `bytes` more would take what has to stay free. */
export async function checkFreeRoom(folder: string, bytes: number, freeRoom: FreeRoom): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const spare = Math.min(freeRoom.bytes, (blocks * bsize * freeRoom.percent) / 100);
  const neededBytes = Math.ceil(bytes + spare);
  if (freeBytes < neededBytes) throw new ModelError('disk_full', { neededBytes, freeBytes });
}

/** SHA-256 of a file, in hexadecimal. */
export async function hashFile(
  file: string,
  signal: AbortSignal,
  onProgress: (doneBytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  let reported = 0;
  for await (const piece of createReadStream(file, { signal, highWaterMark: MEBIBYTE }) as AsyncIterable<Buffer>) {
    hash.update(piece);
    done += piece.byteLength;
    if (done - reported < REPORT_EVERY_BYTES) continue;
    reported = done;
    onProgress(done);
  }
  onProgress(done);
  return hash.digest('hex');
}

/** undefined where there is no such file. */
export async function getSize(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.size;
}
