import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const BLOCK_BYTES = 1024 * 1024;
/** One is read, one is parsed, one may still be written elsewhere. */
const BLOCKS = 3;

/** The bytes of a file, one after the other. */
export type Pieces = Readonly<{
  /**
   * At least one byte and at most `most`. The piece is valid until two more have been read; copy it to keep it longer.
   * Throws where no byte is left.
   */
  next: (most: number) => Promise<Buffer>;
  /** Whether all have been handed out. */
  ended: () => boolean;
  /** Covers everything up to the end of the current block. */
  crc32: () => number;
}>;

/** Reads ahead up to `end` into three buffers, which are reused. */
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
    // Awaited later: without this an early failure would count as unhandled.
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

/**
 * Reads tar as the writer makes it: plain files with short names. A library copies through buffers of its own, so a
 * block could not be reused safely.
 */
const BLOCK = 512;
const FILE = '0'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
/** Marks a size that does not fit into octal digits. */
const BINARY = 0x80;

export type Entry = Readonly<{ name: string; size: number; content: AsyncGenerator<Buffer> }>;

/** Each entry has to be read to its end before the next. Throws on anything but plain files. */
export async function* readEntries(pieces: Pieces): AsyncGenerator<Entry> {
  while (!pieces.ended()) {
    const header = parseHeader(await pieces.next(BLOCK));
    yield { ...header, content: readContent(pieces, header.size) };
  }
}

async function* readContent(pieces: Pieces, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0;) {
    const piece = await pieces.next(left);
    left -= piece.length;
    yield piece;
  }
  const padding = (BLOCK - (size % BLOCK)) % BLOCK;
  if (padding > 0) await pieces.next(padding);
}

function parseHeader(block: Buffer): { name: string; size: number } {
  const name = readField(block, 0, 100);
  if (block.length !== BLOCK || Number.parseInt(readField(block, 148, 8), 8) !== computeChecksum(block)) {
    throw new Error('no header');
  }
  if (block[156] !== FILE) throw new Error(`${name} is no file`);
  return { name, size: parseSize(block.subarray(124, 136)) };
}

function parseSize(field: Buffer): number {
  const [first = 0] = field;
  return first >= BINARY ? field.readUIntBE(6, 6) : Number.parseInt(readField(field, 0, field.length), 8);
}

/** Adds up all bytes of a header, with spaces in place of the checksum. */
function computeChecksum(block: Buffer): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? SPACE : byte), 0);
}

function readField(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}
