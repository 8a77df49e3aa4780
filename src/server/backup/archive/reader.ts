import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { whole } from '../bytes.ts';
import { BackupFault } from '../faults.ts';
import { entries, type Entry } from './entries.ts';
import { groupName, NAMES, type Manifest } from './manifest.ts';
import { createPieces } from './pieces.ts';
import { createSums, type Sums } from './sums.ts';
import { readTail } from './tail.ts';

export type ArchivePart = Readonly<{
  name: string;
  size: number;
  /** A piece stays as it is until two more have been asked for: whoever keeps it longer copies it. */
  content: AsyncIterable<Buffer>;
}>;

export type Archive = Readonly<{
  manifest: Manifest;
  /**
   * All parts in their order; each has to be read before the next. What was handed out is proven only some parts later,
   * all of it at the end. Throws BackupFault `damaged` and the reason of the signal.
   */
  parts: (signal: AbortSignal) => AsyncGenerator<ArchivePart>;
  close: () => Promise<void>;
}>;

/** Throws BackupFault where the end of the file already shows that it will not do. */
export async function openArchive(file: string): Promise<Archive> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new BackupFault('no_archive', file, { cause });
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
    for await (const entry of entries(pieces)) {
      signal.throwIfAborted();
      if (entry.name.startsWith(NAMES.sums)) {
        groups += 1;
        await compareGroup(entry, sums, groupName(groups));
      } else yield* handOut(entry, sums, { file, signal });
    }
    if (pieces.crc32() !== manifest.crc32) throw new Error('the checksum is not that of the manifest');
    const { parts: count, sha256 } = sums.total();
    if (count !== manifest.parts || sha256 !== manifest.sha256)
      throw new Error('the sums are not those of the manifest');
  } catch (error) {
    signal.throwIfAborted();
    throw damaged(file, error);
  }
}

type Reading = Readonly<{ file: string; signal: AbortSignal }>;

async function* handOut({ name, size, content }: Entry, sums: Sums, reading: Reading): AsyncGenerator<ArchivePart> {
  const hash = createHash('sha256');
  const hashing = hashed(content, hash, reading);
  yield { name, size, content: hashing };
  // What its reader left.
  while ((await hashing.next()).done !== true);
  sums.add({ name, sha256: hash.digest('hex') });
}

async function* hashed(content: AsyncIterable<Buffer>, hash: Hash, reading: Reading): AsyncGenerator<Buffer> {
  try {
    for await (const piece of content) {
      reading.signal.throwIfAborted();
      hash.update(piece);
      yield piece;
    }
  } catch (error) {
    reading.signal.throwIfAborted();
    throw damaged(reading.file, error);
  }
}

async function compareGroup(entry: Entry, sums: Sums, name: string): Promise<void> {
  const expected = sums.takeGroup();
  const found = await whole(entry.content);
  if (entry.name !== name || expected?.equals(found) !== true) throw new Error(`${name} shows other sums`);
}

function damaged(file: string, cause: unknown): unknown {
  return cause instanceof BackupFault ? cause : new BackupFault('damaged', file, { cause });
}
