import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';

/** Larger than what an answer or a file takes without asking to wait, which is what keeps the buffer free. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Reads `length` bytes from `start` for `pipe`, which asks for more only when the target has passed everything on: all
 * chunks share one buffer, as new ones cost more time than the reading. Closes the handle. Fails where the file ends
 * early: otherwise the client would wait for the rest until its time-out.
 */
export function readForPipe(handle: FileHandle, start: number, length: number): Readable {
  const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, Math.max(1, length)));
  let at = start;
  const end = start + length;
  /** Whole chunks, since a small one may still wait in the target when the next is asked for. */
  const fill = async (): Promise<Buffer> => {
    const chunk = buffer.subarray(0, Math.min(buffer.length, end - at));
    for (let filled = 0; filled < chunk.length;) {
      const { bytesRead } = await handle.read(chunk, filled, chunk.length - filled, at);
      // What is there goes out first: who asked may want it, and sees where it ends.
      if (bytesRead === 0 && filled > 0) return chunk.subarray(0, filled);
      if (bytesRead === 0) throw new Error('The store has only a part of the file');
      filled += bytesRead;
      at += bytesRead;
    }
    return chunk;
  };
  const [fillNext, close] = [callbackify(fill), callbackify(() => handle.close())];
  return new Readable({
    // Nothing is read ahead.
    highWaterMark: 0,
    read() {
      if (at >= end) this.push(null);
      else fillNext((error, chunk) => (error === null ? this.push(chunk) : this.destroy(error)));
    },
    destroy: (error, done) => close((failed) => done(error ?? failed)),
  });
}
