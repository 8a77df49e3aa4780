import type { FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { callbackify } from 'node:util';
import { freeChunk } from '#http/body-memory.ts';
import type { MinimumFree } from './object-store.ts';
import { CHECK_EVERY_BYTES, requireFree } from './free-space.ts';

/** Bytes of one write at least, because the way to another thread and back costs more than the bytes of a packet. */
const WRITE_BYTES = 256 * 1024;
/** What waits while a write is under way; then it goes out in one. */
const WAITING_BYTES = 256 * 1024;

type SinkOptions = Readonly<{
  folder: string;
  minimumFree: MinimumFree;
  start?: number;
  /** Called with each chunk, in order, before it is written. */
  onChunk?: (chunk: Buffer) => void;
  /** Frees each chunk once it is written. */
  ownsChunks?: boolean;
}>;

/** Writes to a file until the disk of `folder` is down to the minimum (StoreFullError). Leaves it open, unflushed. */
export function createFileSink(handle: FileHandle, options: SinkOptions): Writable {
  const { folder, minimumFree, start = 0, onChunk, ownsChunks = false } = options;
  let at = start;
  let untilCheck = 0;
  const writeAll = async (chunks: Buffer[]): Promise<void> => {
    for (const chunk of chunks) {
      onChunk?.(chunk);
      untilCheck -= chunk.length;
    }
    if (untilCheck <= 0) {
      await requireFree(folder, minimumFree);
      untilCheck = CHECK_EVERY_BYTES;
    }
    for (let left = chunks; left.length > 0;) {
      const { bytesWritten } = await handle.writev(left, at);
      at += bytesWritten;
      left = dropBytes(left, bytesWritten);
    }
    if (ownsChunks) chunks.forEach(freeChunk);
  };
  const { add, writeRest } = gatherChunks(callbackify(writeAll));
  return new Writable({
    highWaterMark: WAITING_BYTES,
    write: (chunk: Buffer, _encoding, done) => add([chunk], done),
    writev: (entries, done) =>
      add(
        entries.map(({ chunk }) => chunk as Buffer),
        done,
      ),
    final: writeRest,
  });
}

type Done = (error?: Error | null) => void;

function gatherChunks(write: (chunks: Buffer[], done: Done) => void) {
  let gathered: Buffer[] = [];
  let bytes = 0;
  const writeRest = (done: Done): void => {
    const chunks = gathered;
    gathered = [];
    bytes = 0;
    if (chunks.length === 0) done();
    else write(chunks, done);
  };
  return {
    add: (chunks: readonly Buffer[], done: Done): void => {
      for (const chunk of chunks) bytes += chunk.length;
      gathered.push(...chunks);
      if (bytes < WRITE_BYTES) done();
      else writeRest(done);
    },
    writeRest,
  };
}

/** A disk may take only some of the bytes. */
function dropBytes(chunks: readonly Buffer[], count: number): Buffer[] {
  let left = count;
  return chunks.flatMap((chunk) => {
    const taken = Math.min(left, chunk.length);
    left -= taken;
    return taken < chunk.length ? [chunk.subarray(taken)] : [];
  });
}
