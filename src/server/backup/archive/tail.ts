import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pack, type Pack } from 'tar-stream';
import { whole } from '../bytes.ts';
import { BackupFault } from '../faults.ts';
import { FORMAT, KindSchema, ManifestSchema, NAMES, type Manifest } from './manifest.ts';

/**
 * The end of an archive: manifest, its sum, two empty blocks. It is the same to the last byte for the same manifest, so
 * a reader writes it anew and compares.
 */
const BLOCK = 512;
/** Header and content of the sum, and tar's two empty blocks. */
const AFTER_MANIFEST = 4 * BLOCK;
const LONGEST_MANIFEST = 16 * 1024 * 1024;

export function addTail(archive: Pack, manifest: Manifest): void {
  addText(archive, padded(JSON.stringify(manifest, null, 2)), manifest.createdAt);
}

function addText(archive: Pack, text: string, createdAt: string): void {
  const sum = `${createHash('sha256').update(text).digest('hex')}  ${NAMES.manifest}\n`;
  archive.entry({ ...headerOf(createdAt), name: NAMES.manifest }, text);
  archive.entry({ ...headerOf(createdAt), name: NAMES.manifestSum }, sum);
  archive.finalize();
}

export function headerOf(createdAt: string): { mode: number; mtime: Date } {
  return { mode: 0o600, mtime: new Date(createdAt) };
}

/** Reads the manifest from the end of a file. Throws BackupFault `no_archive`, `archive_newer`, `truncated`, `damaged`. */
export async function readTail(handle: FileHandle, file: string): Promise<Manifest> {
  const { size } = await handle.stat();
  const text = await manifestText(handle, size);
  const begun = await beginsLikeOne(handle);
  if (text === undefined) throw new BackupFault(begun ? 'truncated' : 'no_archive', file);
  const value = parsed(text.content);
  const kind = KindSchema.safeParse(value);
  if (kind.success && kind.data.format > FORMAT) throw new BackupFault('archive_newer', file);
  const manifest = ManifestSchema.safeParse(value);
  if (!manifest.success) throw new BackupFault(begun ? 'damaged' : 'no_archive', file);
  const written = await tailOf(text.content, manifest.data.createdAt);
  const found = await bytesAt(handle, text.start, size - text.start);
  if (text.start !== manifest.data.bytes || !written.equals(found)) throw new BackupFault('damaged', file);
  return manifest.data;
}

async function tailOf(text: string, createdAt: string): Promise<Buffer> {
  const archive = pack();
  addText(archive, text, createdAt);
  return whole(archive);
}

type ManifestText = Readonly<{ start: number; content: string }>;

/** Its header is the last block that begins with its name; JSON holds no zero byte, so its text cannot look like one. */
async function manifestText(handle: FileHandle, size: number): Promise<ManifestText | undefined> {
  const end = size - AFTER_MANIFEST;
  if (size % BLOCK !== 0 || end < BLOCK) return undefined;
  for (let start = end - BLOCK; start >= Math.max(0, end - LONGEST_MANIFEST); start -= BLOCK) {
    const block = await bytesAt(handle, start, BLOCK);
    if (!block.subarray(0, NAMES.manifest.length + 1).equals(Buffer.from(`${NAMES.manifest}\0`))) continue;
    const content = await bytesAt(handle, start + BLOCK, end - start - BLOCK);
    return { start, content: content.toString('utf8') };
  }
  return undefined;
}

const FIRST_NAMES = [NAMES.database, NAMES.sums];

async function beginsLikeOne(handle: FileHandle): Promise<boolean> {
  const first = (await bytesAt(handle, 0, BLOCK)).toString('latin1');
  return FIRST_NAMES.some((name) => first.startsWith(name));
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position });
  return buffer.subarray(0, bytesRead);
}

/** Its last block ends with it: nothing in it is left to chance. */
function padded(text: string): string {
  const missing = BLOCK - (Buffer.byteLength(text) % BLOCK);
  return text + '\n'.repeat(missing);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
