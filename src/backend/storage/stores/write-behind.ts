import type { FileHandle } from 'node:fs/promises';

/**
 * Writes and flushes a large file, and requests the next chunk while one is written, so a chunk must stay valid until
 * two more are requested. Resolves when all of it is written; `safe` flushes it.
 */
export async function writeBehind(
  handle: FileHandle,
  content: AsyncIterable<Buffer>,
): Promise<Readonly<{ safe: () => Promise<void> }>> {
  const flusher = createFlusher(handle);
  let writing = Promise.resolve();
  try {
    for await (const piece of content) {
      await writing;
      writing = ignoreUntilAwaited(writeAll(handle, piece).then(() => flusher.wrote(piece.length)));
    }
  } finally {
    await writing;
  }
  return { safe: () => flusher.end() };
}

/** Writes the whole chunk at once, which `writeFile` would divide. */
async function writeAll(handle: FileHandle, piece: Buffer): Promise<void> {
  for (let written = 0; written < piece.length;) written += (await handle.write(piece, written)).bytesWritten;
}

const EVERY_BYTES = 32 * 1024 * 1024;

export type Flusher = Readonly<{
  wrote: (bytes: number) => void;
  /** Flushes the rest. Rejects where any flush failed. */
  end: () => Promise<void>;
}>;

/** Flushes a large file while more of it is written, so that little is left at its end. */
export function createFlusher(handle: FileHandle): Flusher {
  let unflushed = 0;
  let flushing = Promise.resolve();
  let idle = true;
  return {
    wrote: (bytes) => {
      unflushed += bytes;
      if (!idle || unflushed < EVERY_BYTES) return;
      unflushed = 0;
      idle = false;
      // It stays busy after a failure, which the kernel reports only once.
      flushing = handle.datasync().then(() => void (idle = true));
      flushing.catch(() => undefined);
    },
    end: async () => {
      await flushing;
      await handle.sync();
    },
  };
}

/** Keeps a promise that is awaited later from ending the process as an unhandled rejection. */
export function ignoreUntilAwaited<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
