import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const BLOCK_BYTES = 1024 * 1024;
/** One is being read, one is looked at, one may be on its way to another disk. */
const BLOCKS = 3;

/** The bytes of a file, one after the other. */
export type Pieces = Readonly<{
  /**
   * At least one byte and at most `most`. They stay as they are until two more pieces have been asked for: whoever needs them
   * longer copies them. Throws where no byte is left.
   */
  next: (most: number) => Promise<Buffer>;
  /** Whether all have been handed out. */
  ended: () => boolean;
  /** Of everything up to the end of the block that is looked at. */
  crc32: () => number;
}>;

/** Up to `end`, read ahead into three blocks that are used over and over. */
export function createPieces(handle: FileHandle, end: number): Pieces {
  const ring = Array.from({ length: BLOCKS }, () => Buffer.allocUnsafeSlow(BLOCK_BYTES));
  let begun = 0;
  let handedOut = 0;
  let sum = 0;
  const read = (): Promise<Buffer> => {
    const block = ring[(begun / BLOCK_BYTES) % BLOCKS] ?? Buffer.alloc(0);
    const [start, length] = [begun, Math.min(BLOCK_BYTES, end - begun)];
    begun += length;
    const reading = readWhole(handle, block.subarray(0, length), start);
    // It is awaited in its turn; until then its failure is nobody's.
    reading.catch(() => undefined);
    return reading;
  };
  let rest: Buffer = Buffer.alloc(0);
  let ahead = read();
  return {
    next: async (most) => {
      if (rest.length === 0) {
        if (handedOut === end) throw new Error('nothing comes after this');
        rest = await ahead;
        ahead = read();
        sum = crc32(rest, sum);
      }
      const piece = rest.subarray(0, most);
      rest = rest.subarray(piece.length);
      handedOut += piece.length;
      return piece;
    },
    ended: () => handedOut === end,
    crc32: () => sum,
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
