import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { getErrorCode } from '#lib/error-code.ts';
import { readAll } from '../bytes.ts';
import { BackupError } from '../errors.ts';
import { createPieces, readEntries, type Entry } from './entries.ts';
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
