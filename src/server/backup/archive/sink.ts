import { statfs, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { isDiskFull } from '#lib/error-code.ts';
import { writeBehind } from '#backend/maintenance.ts';
import { BackupError } from '../errors.ts';

const MEBIBYTE = 1024 * 1024;
const SPACE_CHECK_EVERY_BYTES = 32 * MEBIBYTE;

export type SinkState = Readonly<{ position: number; crc32: number }>;

/** Writes and counts the bytes of an archive. */
export type Sink = Readonly<{
  /** Writes everything and flushes it to disk. Throws BackupError `disk_full`. */
  pour: (content: AsyncIterable<Buffer>) => Promise<void>;
  /** Resolves once exactly `position` bytes have gone through. */
  reached: (position: number) => Promise<SinkState>;
}>;

/** `spare`: bytes that stay free on the disk. */
export function createSink(handle: FileHandle, folder: string, spare: number): Sink {
  let state: SinkState = { position: 0, crc32: 0 };
  let waiting: { position: number; tell: (state: SinkState) => void } | undefined;
  const count = (chunk: Buffer): void => {
    state = { position: state.position + chunk.length, crc32: crc32(chunk, state.crc32) };
    if (waiting?.position === state.position) waiting.tell(state);
  };
  return {
    pour: async (content) => {
      try {
        const { safe } = await writeBehind(handle, checkSpace(gatherChunks(content, count), folder, spare));
        await safe();
      } catch (error) {
        throw isDiskFull(error) ? new BackupError('disk_full', folder, { cause: error }) : error;
      }
    },
    reached: (position) =>
      state.position === position
        ? Promise.resolve(state)
        : new Promise((resolve) => (waiting = { position, tell: resolve })),
  };
}

async function* checkSpace(content: AsyncIterable<Buffer>, folder: string, spare: number): AsyncGenerator<Buffer> {
  let unchecked = SPACE_CHECK_EVERY_BYTES;
  for await (const chunk of content) {
    unchecked += chunk.length;
    if (spare > 0 && unchecked >= SPACE_CHECK_EVERY_BYTES) {
      unchecked = 0;
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < spare) throw new BackupError('disk_full', folder);
    }
    yield chunk;
  }
}

/**
 * Gathers small chunks, because writing 512 bytes costs as much as a mebibyte. Fills one buffer while the other is
 * written.
 */
async function* gatherChunks(content: AsyncIterable<Buffer>, count: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  let [held, other] = [Buffer.allocUnsafeSlow(MEBIBYTE), Buffer.allocUnsafeSlow(MEBIBYTE)];
  let filled = 0;
  for await (const chunk of content) {
    count(chunk);
    if (filled + chunk.length > held.length) {
      yield held.subarray(0, filled);
      [held, other] = [other, held];
      filled = 0;
    }
    if (chunk.length >= held.length) yield chunk;
    else filled += chunk.copy(held, filled);
  }
  yield held.subarray(0, filled);
}
