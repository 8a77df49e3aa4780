import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { readAll } from '../bytes.ts';
import { BackupError } from '../errors.ts';
import { createSums, formatGroupName, NAMES, type Manifest, type Sums } from './manifest.ts';
import { readTail } from './tail.ts';

export type ArchivePart = Readonly<{
  name: string;
  size: number;
  /** A piece is valid until two more have been read; copy it to keep it longer. */
  content: AsyncIterable<Buffer>;
}>;

export type Archive = Readonly<{
  manifest: Manifest;
  /**
   * All parts in their order; each has to be read before the next. Their checksums are compared only some parts later,
   * the last ones at the end. Throws BackupError `damaged` and the reason of the signal.
   */
  parts: (signal: AbortSignal) => AsyncGenerator<ArchivePart>;
  close: () => Promise<void>;
}>;

/** Throws BackupError where the end of the file shows that it is no archive, or is damaged. */
export async function openArchive(file: string): Promise<Archive> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new BackupError('no_archive', file, { cause });
  });
  try {
    const manifest = await readTail(handle, file);
    return { manifest, parts: (signal) => parts({ handle, manifest, file }, signal), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

type Opened = Readonly<{ handle: FileHandle; manifest: Manifest; file: string }>;

async function* parts({ handle, manifest, file }: Opened, signal: AbortSignal): AsyncGenerator<ArchivePart> {
  const sums = createSums();
  const pieces = createPieces(handle, manifest.bytes);
  let groups = 0;
  try {
    for await (const entry of readEntries(pieces)) {
      signal.throwIfAborted();
      if (entry.name.startsWith(NAMES.sums)) {
        groups += 1;
        await compareGroup(entry, sums, formatGroupName(groups));
      } else yield* yieldPart(entry, sums, { file, signal });
    }
    if (pieces.crc32() !== manifest.crc32) throw new Error('the checksum is not that of the manifest');
    const { parts: count, sha256 } = sums.total();
    if (count !== manifest.parts || sha256 !== manifest.sha256)
      throw new Error('the sums are not those of the manifest');
  } catch (error) {
    signal.throwIfAborted();
    throw toDamagedError(file, error);
  }
}

type Reading = Readonly<{ file: string; signal: AbortSignal }>;

async function* yieldPart({ name, size, content }: Entry, sums: Sums, reading: Reading): AsyncGenerator<ArchivePart> {
  const hash = createHash('sha256');
  const hashing = hashWhileReading(content, hash, reading);
  yield { name, size, content: hashing };
  // The rest that the consumer did not read counts too.
  while ((await hashing.next()).done !== true);
  sums.add({ name, sha256: hash.digest('hex') });
}

async function* hashWhileReading(content: AsyncIterable<Buffer>, hash: Hash, reading: Reading): AsyncGenerator<Buffer> {
  try {
    for await (const piece of content) {
      reading.signal.throwIfAborted();
      hash.update(piece);
      yield piece;
    }
  } catch (error) {
    reading.signal.throwIfAborted();
    throw toDamagedError(reading.file, error);
  }
}

async function compareGroup(entry: Entry, sums: Sums, name: string): Promise<void> {
  const expected = sums.takeGroup();
  const found = await readAll(entry.content);
  if (entry.name !== name || expected?.equals(found) !== true) throw new Error(`${name} shows other sums`);
}

function toDamagedError(file: string, cause: unknown): unknown {
  return cause instanceof BackupError ? cause : new BackupError('damaged', file, { cause });
}

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

type Entry = Readonly<{ name: string; size: number; content: AsyncGenerator<Buffer> }>;

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
