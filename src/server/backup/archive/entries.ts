import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { createReadAhead } from '#backend/maintenance.ts';

/** The bytes of a file, one after the other. Reads ahead up to `end` into buffers that are reused. */
export function createPieces(handle: FileHandle, end: number) {
  const blocks = createReadAhead()(handle, 0, end);
  let handedOut = 0;
  let sum = 0;
  let rest: Buffer = Buffer.alloc(0);
  return {
    /**
     * At least one byte and at most `most`. The piece is valid until two more have been read; copy it to keep it
     * longer. Throws where no byte is left.
     */
    next: async (most: number): Promise<Buffer> => {
      if (rest.length === 0) {
        const block = await blocks.next();
        if (block.done === true) throw new Error('nothing comes after this');
        rest = block.value;
        sum = crc32(rest, sum);
      }
      const piece = rest.subarray(0, most);
      rest = rest.subarray(piece.length);
      handedOut += piece.length;
      return piece;
    },
    /** Whether all have been handed out. */
    ended: (): boolean => handedOut === end,
    /** Covers everything up to the end of the current block. */
    crc32: (): number => sum,
  };
}

export type Pieces = ReturnType<typeof createPieces>;

const BLOCK = 512;
const FILE = '0'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
/** Marks a size that does not fit into octal digits. */
const BINARY = 0x80;

export type Entry = Readonly<{ name: string; size: number; content: AsyncGenerator<Buffer> }>;

/**
 * Reads tar as the writer makes it: plain files with short names. A library copies through buffers of its own, so a
 * block could not be reused safely. Each entry has to be read to its end before the next. Throws on anything else.
 */
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
