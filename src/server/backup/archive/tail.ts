import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pack, type Pack } from 'tar-stream';
import { readAll } from '../bytes.ts';
import { BackupError } from '../errors.ts';
import { FORMAT, KindSchema, ManifestSchema, NAMES, type Manifest } from './manifest.ts';

/**
 * The end of an archive: manifest, its checksum, two empty blocks. The same manifest makes the same bytes, so a reader
 * builds the end again and compares.
 */
const BLOCK = 512;
/** Header and content of the checksum, and tar's two empty blocks. */
const AFTER_MANIFEST = 4 * BLOCK;
const LONGEST_MANIFEST = 16 * 1024 * 1024;

export function addTail(archive: Pack, manifest: Manifest): void {
  addText(archive, padToBlock(JSON.stringify(manifest, null, 2)), manifest.createdAt);
}

function addText(archive: Pack, text: string, createdAt: string): void {
  const sum = `${createHash('sha256').update(text).digest('hex')}  ${NAMES.manifest}\n`;
  archive.entry({ ...createHeader(createdAt), name: NAMES.manifest }, text);
  archive.entry({ ...createHeader(createdAt), name: NAMES.manifestSum }, sum);
  archive.finalize();
}

export function createHeader(createdAt: string): { mode: number; mtime: Date } {
  return { mode: 0o600, mtime: new Date(createdAt) };
}

/**
 * Reads the manifest from the end of a file. Throws BackupError `no_archive`, `archive_newer`, `truncated`, `damaged`.
 */
export async function readTail(handle: FileHandle, file: string): Promise<Manifest> {
  const { size } = await handle.stat();
  const text = await findManifest(handle, size);
  const begun = await looksLikeArchive(handle);
  if (text === undefined) throw new BackupError(begun ? 'truncated' : 'no_archive', file);
  const value = parseJson(text.content);
  const kind = KindSchema.safeParse(value);
  if (kind.success && kind.data.format > FORMAT) throw new BackupError('archive_newer', file);
  const manifest = ManifestSchema.safeParse(value);
  if (!manifest.success) throw new BackupError(begun ? 'damaged' : 'no_archive', file);
  const written = await buildTail(text.content, manifest.data.createdAt);
  const found = await readAt(handle, text.start, size - text.start);
  if (text.start !== manifest.data.bytes || !written.equals(found)) throw new BackupError('damaged', file);
  return manifest.data;
}

async function buildTail(text: string, createdAt: string): Promise<Buffer> {
  const archive = pack();
  addText(archive, text, createdAt);
  return readAll(archive);
}

type ManifestText = Readonly<{ start: number; content: string }>;

/** Searches backwards for the manifest's header. JSON holds no zero byte, so its text cannot look like a header. */
async function findManifest(handle: FileHandle, size: number): Promise<ManifestText | undefined> {
  const end = size - AFTER_MANIFEST;
  if (size % BLOCK !== 0 || end < BLOCK) return undefined;
  for (let start = end - BLOCK; start >= Math.max(0, end - LONGEST_MANIFEST); start -= BLOCK) {
    const block = await readAt(handle, start, BLOCK);
    if (!block.subarray(0, NAMES.manifest.length + 1).equals(Buffer.from(`${NAMES.manifest}\0`))) continue;
    const content = await readAt(handle, start + BLOCK, end - start - BLOCK);
    return { start, content: content.toString('utf8') };
  }
  return undefined;
}

const FIRST_NAMES = [NAMES.database, NAMES.sums];

async function looksLikeArchive(handle: FileHandle): Promise<boolean> {
  const first = (await readAt(handle, 0, BLOCK)).toString('latin1');
  return FIRST_NAMES.some((name) => first.startsWith(name));
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position });
  return buffer.subarray(0, bytesRead);
}

/** Fills the last block with line breaks, so every byte of it is known. */
function padToBlock(text: string): string {
  const missing = BLOCK - (Buffer.byteLength(text) % BLOCK);
  return text + '\n'.repeat(missing);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
