import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { createReadAhead } from '#backend/maintenance.ts';
import { getErrorCode } from '#lib/error-code.ts';
import { readAll } from '../bytes.ts';
import { BackupError } from '../errors.ts';
import { createSums, formatGroupName, NAMES, readTail, type Manifest, type Sums } from './manifest.ts';

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

/** Throws BackupError where the file cannot be opened, or its end shows that it is no archive, or is damaged. */
export async function openArchive(file: string): Promise<Archive> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new BackupError(getErrorCode(cause) === 'ENOENT' ? 'file_missing' : 'file_unreadable', file, { cause });
  });
  try {
    const manifest = await readTail(handle, file);
    return { manifest, parts: (signal) => parts({ handle, manifest, file }, signal), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw getErrorCode(error) === 'EISDIR' ? new BackupError('no_archive', file, { cause: error }) : error;
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

type Entry = Readonly<{ name: string; size: number; content: AsyncGenerator<Buffer> }>;

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
