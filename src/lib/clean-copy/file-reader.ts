/** Thrown where a file cannot be cleaned with certainty. */
export class UncleanableError extends Error {
  override readonly name = 'UncleanableError';
}

/** Bytes of a file that is not in memory. */
export type FileReader = Readonly<{
  size: number;
  /** Exactly `length` bytes. Throws UncleanableError past the end of the file. */
  read: (at: number, length: number) => Promise<Buffer>;
  /** The bytes from `at` up to the end of the block that is in memory: for a search through the whole file. */
  readBlock: (at: number) => Promise<Buffer>;
}>;

const BLOCK_BYTES = 512 * 1024;
const BLOCKS_KEPT = 4;
/** No table that is read whole is larger in files of cameras. */
const LONGEST_READ = 4 * 1024 * 1024;
/** A file of very many tiny parts is refused instead of keeping the server busy. */
const MAX_READS = 2_000_000;

/** Reads in blocks and keeps the last few, because parsers read many short headers in a row. */
export function createFileReader(size: number, load: (at: number, length: number) => Promise<Buffer>): FileReader {
  const blocks = new Map<number, Buffer>();
  let reads = 0;
  const getBlock = async (number: number): Promise<Buffer> => {
    const kept = blocks.get(number);
    if (kept !== undefined) return kept;
    const at = number * BLOCK_BYTES;
    const length = Math.min(BLOCK_BYTES, size - at);
    const block = await load(at, length);
    if (block.length !== length) throw new UncleanableError('the store has not all of the file');
    if (blocks.size >= BLOCKS_KEPT) blocks.delete(blocks.keys().next().value ?? 0);
    blocks.set(number, block);
    return block;
  };
  const readBlock = async (at: number): Promise<Buffer> => {
    reads += 1;
    if (reads > MAX_READS) throw new UncleanableError('too many parts');
    if (at < 0 || at >= size) throw new UncleanableError('a part ends behind the file');
    return (await getBlock(Math.floor(at / BLOCK_BYTES))).subarray(at % BLOCK_BYTES);
  };
  return {
    size,
    readBlock,
    read: async (at, length) => {
      if (length === 0) return Buffer.alloc(0);
      if (length > LONGEST_READ || at + length > size) throw new UncleanableError('a part ends behind the file');
      const parts: Buffer[] = [];
      for (let got = 0; got < length;) {
        const part = (await readBlock(at + got)).subarray(0, length - got);
        parts.push(part);
        got += part.length;
      }
      return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
    },
  };
}
