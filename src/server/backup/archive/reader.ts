import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { extract, type Extract, type Header } from 'tar-stream';
import { bytesOf, whole } from '../bytes.ts';
import { BackupFault } from '../faults.ts';
import { groupName, NAMES, type Manifest } from './manifest.ts';
import { createSums, type Sums } from './sums.ts';
import { readTail } from './tail.ts';

const READ_CHUNK_BYTES = 1024 * 1024;

export type ArchivePart = Readonly<{ name: string; size: number; content: AsyncIterable<Buffer> }>;

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

type Entry = AsyncIterable<unknown> & Readonly<{ header: Header }>;
type Opened = Readonly<{ handle: FileHandle; manifest: Manifest; file: string }>;

async function* parts(opened: Opened, signal: AbortSignal): AsyncGenerator<ArchivePart> {
  const { manifest, file } = opened;
  const sums = createSums();
  const archive = extract();
  const abort = (): void => archive.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const feeding = feed(opened, archive);
  feeding.catch((error: Error) => archive.destroy(error));
  try {
    let groups = 0;
    for await (const entry of archive) {
      if (entry.header.name.startsWith(NAMES.sums)) {
        groups += 1;
        await compareGroup(entry, sums, groupName(groups));
      } else yield* handOut(entry, sums, file);
    }
    await feeding;
    const { parts: count, sha256 } = sums.total();
    if (count !== manifest.parts || sha256 !== manifest.sha256)
      throw new Error('the sums are not those of the manifest');
  } catch (error) {
    signal.throwIfAborted();
    throw damaged(file, error);
  } finally {
    signal.removeEventListener('abort', abort);
    archive.destroy();
    await feeding.catch(() => undefined);
  }
}

/** The bytes before the manifest. The last of them are let through only where their CRC is right. */
async function feed({ handle, manifest }: Opened, archive: Extract): Promise<void> {
  const end = manifest.bytes - 1;
  const closed = once(archive, 'close');
  closed.catch(() => undefined);
  let sum = 0;
  for await (const chunk of handle.createReadStream({
    start: 0,
    end,
    highWaterMark: READ_CHUNK_BYTES,
    autoClose: false,
  })) {
    sum = crc32(chunk, sum);
    if (!archive.write(chunk)) await Promise.race([once(archive, 'drain'), closed]);
    if (archive.destroyed) return;
  }
  if (sum !== manifest.crc32) throw new Error('the checksum is not that of the manifest');
  archive.end(null);
}

async function* handOut(entry: Entry, sums: Sums, file: string): AsyncGenerator<ArchivePart> {
  const { name, size, type } = entry.header;
  if (type !== 'file') throw new Error(`${name} is no file`);
  const hash = createHash('sha256');
  const content = hashed(entry, hash, file);
  yield { name, size, content };
  // What its reader left.
  while ((await content.next()).done !== true);
  sums.add({ name, sha256: hash.digest('hex') });
}

async function* hashed(entry: Entry, hash: Hash, file: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of bytesOf(entry)) {
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    throw damaged(file, error);
  }
}

async function compareGroup(entry: Entry, sums: Sums, name: string): Promise<void> {
  const expected = sums.takeGroup();
  const found = await whole(entry);
  if (entry.header.name !== name || expected?.equals(found) !== true) throw new Error(`${name} shows other sums`);
}

function damaged(file: string, cause: unknown): unknown {
  return cause instanceof BackupFault ? cause : new BackupFault('damaged', file, { cause });
}
