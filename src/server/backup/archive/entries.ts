import type { Pieces } from './pieces.ts';

/**
 * Reads tar as our writer has it: plain files with short names. A library would hand the bytes on through buffers of its
 * own, and then nobody could say when a block may be used again.
 */
const BLOCK = 512;
const FILE = '0'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
/** Set where a size does not fit into octal digits. */
const BINARY = 0x80;

export type Entry = Readonly<{ name: string; size: number; content: AsyncGenerator<Buffer> }>;

/** Each has to be read to its end before the next. Throws where something else stands there. */
export async function* entries(pieces: Pieces): AsyncGenerator<Entry> {
  while (!pieces.ended()) {
    const header = headerOf(await pieces.next(BLOCK));
    yield { ...header, content: contentOf(pieces, header.size) };
  }
}

async function* contentOf(pieces: Pieces, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0;) {
    const piece = await pieces.next(left);
    left -= piece.length;
    yield piece;
  }
  const padding = (BLOCK - (size % BLOCK)) % BLOCK;
  if (padding > 0) await pieces.next(padding);
}

function headerOf(block: Buffer): { name: string; size: number } {
  const name = textAt(block, 0, 100);
  if (block.length !== BLOCK || Number.parseInt(textAt(block, 148, 8), 8) !== checksumOf(block)) {
    throw new Error('no header stands where one has to');
  }
  if (block[156] !== FILE) throw new Error(`${name} is no file`);
  return { name, size: sizeIn(block.subarray(124, 136)) };
}

function sizeIn(field: Buffer): number {
  const [first = 0] = field;
  return first >= BINARY ? field.readUIntBE(6, 6) : Number.parseInt(textAt(field, 0, field.length), 8);
}

/** The sum of all bytes, its own taken for spaces. */
function checksumOf(block: Buffer): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? SPACE : byte), 0);
}

function textAt(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}
