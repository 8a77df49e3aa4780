import type { FileHandle } from 'node:fs/promises';
import { flushAlong } from './flush-along.ts';

/**
 * Writes and flushes a large file: while one piece is being written the next is asked for, which is done with the one
 * before. Resolves when all of it is written; `safe` when it is on the disk.
 */
export async function writeBehind(
  handle: FileHandle,
  content: AsyncIterable<Buffer>,
): Promise<Readonly<{ safe: () => Promise<void> }>> {
  const flush = flushAlong(handle);
  let writing = Promise.resolve();
  try {
    for await (const piece of content) {
      await writing;
      writing = writeAll(handle, piece).then(() => flush.wrote(piece.length));
      // It is awaited in its turn; until then its failure is nobody's.
      writing.catch(() => undefined);
    }
  } finally {
    await writing;
  }
  return { safe: () => flush.end() };
}

/** As much at once as there is: `writeFile` would cut it up. */
async function writeAll(handle: FileHandle, piece: Buffer): Promise<void> {
  for (let written = 0; written < piece.length;) written += (await handle.write(piece, written)).bytesWritten;
}
