import type { FileHandle } from 'node:fs/promises';

const BLOCK_BYTES = 1024 * 1024;
/** One is read, one is handed out, one may still be written elsewhere. */
const BLOCKS = 3;

/**
 * Returns a function that reads files one after another, from `start` up to `end`, and reads ahead. A block stays as it
 * is until two more have been requested, also of the next file: all share three buffers, since a new one for each block
 * makes the runtime collect garbage for a third of the time that a copy takes. Other threads can read the buffers, too.
 */
export function createReadAhead(): (handle: FileHandle, start: number, end: number) => AsyncGenerator<Buffer> {
  const ring: Buffer[] = [];
  let turn = 0;
  return async function* (handle, start, end) {
    let at = start;
    const read = (): Promise<Buffer> | undefined => {
      if (at >= end) return undefined;
      const buffer = (ring[turn % BLOCKS] ??= Buffer.from(new SharedArrayBuffer(BLOCK_BYTES)));
      turn += 1;
      const block = buffer.subarray(0, Math.min(BLOCK_BYTES, end - at));
      at += block.length;
      return ignoreUntilAwaited(readWhole(handle, block, at - block.length));
    };
    let ahead = read();
    try {
      while (ahead !== undefined) {
        const block = await ahead;
        ahead = read();
        yield block;
      }
    } finally {
      // Where the caller stops early, nothing may still be read into a buffer of the next file.
      await ahead?.catch(() => undefined);
    }
  };
}

async function readWhole(handle: FileHandle, block: Buffer, start: number): Promise<Buffer> {
  for (let filled = 0; filled < block.length;) {
    const { bytesRead } = await handle.read(block, filled, block.length - filled, start + filled);
    if (bytesRead === 0) throw new Error('the file ends too early');
    filled += bytesRead;
  }
  return block;
}

/** Writes a large file and flushes it on the way; the caller prepares the next chunk while one is written. */
export function createWriteBehind(handle: FileHandle) {
  const flusher = createFlusher(handle);
  let writing = Promise.resolve();
  return {
    /** Resolves when the chunk before is written: a chunk has to stay as it is until the next one is taken. */
    write: (chunk: Buffer): Promise<void> => {
      const before = writing;
      const writeThis = async (): Promise<void> => {
        await writeAll(handle, chunk);
        flusher.wrote(chunk.length);
      };
      writing = ignoreUntilAwaited(before.then(writeThis));
      return before;
    },
    /** Resolves when every chunk is written, also one that waits for the one before. */
    written: (): Promise<void> => writing,
    /** Flushes all of them. */
    flush: async (): Promise<void> => {
      await writing;
      await flusher.end();
    },
  };
}

/**
 * Writes and flushes a large file, and requests the next chunk while one is written, so a chunk must stay valid until
 * two more are requested. Resolves when all of it is written; `safe` flushes it.
 */
export async function writeBehind(
  handle: FileHandle,
  content: AsyncIterable<Buffer>,
): Promise<Readonly<{ safe: () => Promise<void> }>> {
  const { write, written, flush } = createWriteBehind(handle);
  try {
    for await (const chunk of content) await write(chunk);
  } finally {
    await written();
  }
  return { safe: flush };
}

/** Writes the whole chunk at once, which `writeFile` would divide. */
async function writeAll(handle: FileHandle, piece: Buffer): Promise<void> {
  for (let written = 0; written < piece.length;) written += (await handle.write(piece, written)).bytesWritten;
}

const EVERY_BYTES = 32 * 1024 * 1024;

/** Flushes a large file while more of it is written, so that little is left at its end. */
export function createFlusher(handle: FileHandle) {
  let unflushed = 0;
  let flushing = Promise.resolve();
  let idle = true;
  return {
    wrote: (bytes: number): void => {
      unflushed += bytes;
      if (!idle || unflushed < EVERY_BYTES) return;
      unflushed = 0;
      idle = false;
      // It stays busy after a failure, which the kernel reports only once.
      flushing = handle.datasync().then(() => void (idle = true));
      flushing.catch(() => undefined);
    },
    /** Flushes the rest. Rejects where any flush failed. */
    end: async (): Promise<void> => {
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
