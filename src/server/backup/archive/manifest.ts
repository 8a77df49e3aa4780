import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pack } from 'tar-stream';
import { z } from 'zod';
import { parseJson } from '#lib/parse-json.ts';
import { expectBuffers, readAll } from '../bytes.ts';
import { BackupError } from '../errors.ts';

/** A later format that this code cannot read gets another number. */
const FORMAT = 1;
const KIND = 'social-media-content-assistant backup';

/** Names of an archive's parts; `docs/operations.md` explains them to operators. */
export const NAMES = {
  manifest: 'manifest.json',
  manifestSum: 'manifest.json.sha256',
  database: 'database/',
  file: 'files/',
  data: 'data/',
  sums: 'sums/',
} as const;

const Count = z.number().int().min(0);
const TableSchema = z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()), rows: Count });
const SequenceSchema = z.object({
  schema: z.string(),
  name: z.string(),
  value: z.string().regex(/^-?\d+$/),
  called: z.boolean(),
});

const FactsSchema = z.object({
  createdAt: z.iso.datetime(),
  postgres: z.string(),
  migrations: z.object({ platform: z.array(z.string()), project: z.array(z.string()) }),
  /** In the order of their parts. */
  tables: z.array(TableSchema),
  sequences: z.array(SequenceSchema),
  files: z.object({ count: Count, bytes: Count, missing: Count, missingNames: z.array(z.string()) }),
});
export type Facts = z.infer<typeof FactsSchema>;

const ManifestSchema = FactsSchema.extend({
  kind: z.literal(KIND),
  format: z.number().int(),
  /** Number of parts with a checksum, and the checksum of all these checksums in their order. */
  parts: Count,
  sha256: z.hex().length(64),
  /** Bytes before the manifest, and their CRC-32, which covers headers and padding too. */
  bytes: Count,
  crc32: Count,
});
export type Manifest = z.infer<typeof ManifestSchema>;

/** Recognises an archive of this program in any format. */
const KindSchema = z.object({ kind: z.literal(KIND), format: z.number().int() });

export function createManifest(facts: Facts, proof: Pick<Manifest, 'parts' | 'sha256' | 'bytes' | 'crc32'>): Manifest {
  return { kind: KIND, format: FORMAT, ...facts, ...proof };
}

const BLOCK = 512;

/** The block before the content of a part. */
export async function buildHeader(part: Readonly<{ name: string; size: number; createdAt: string }>): Promise<Buffer> {
  const archive = pack();
  archive.entry({ ...createHeader(part.createdAt), name: part.name, size: part.size });
  for await (const block of expectBuffers(archive)) return block;
  throw new Error('tar has no header');
}

/** What fills the last block of a part. */
export function buildPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

export function formatGroupName(number: number): string {
  return `${NAMES.sums}${String(number).padStart(6, '0')}.sha256`;
}

/** Number of parts whose checksums share an entry, and are held in memory at once. */
const GROUP = 1_000;

type Part = Readonly<{ name: string; sha256: string }>;

/** Collects the checksums of parts, group by group, and one checksum over all. */
export function createSums() {
  const all = createHash('sha256');
  let group: string[] = [];
  let parts = 0;
  return {
    add: ({ name, sha256 }: Part): void => {
      const line = `${sha256}  ${name}\n`;
      group.push(line);
      all.update(line);
      parts += 1;
    },
    full: (): boolean => group.length >= GROUP,
    /** Returns the group in the format of `sha256sum` and begins a new one. undefined: the group is empty. */
    takeGroup: (): Buffer | undefined => {
      const text = group.length === 0 ? undefined : Buffer.from(group.join(''));
      group = [];
      return text;
    },
    total: (): { parts: number; sha256: string } => ({ parts, sha256: all.copy().digest('hex') }),
  };
}

export type Sums = ReturnType<typeof createSums>;

/** Header and content of the checksum, and tar's two empty blocks. */
const AFTER_MANIFEST = 4 * BLOCK;
const LONGEST_MANIFEST = 16 * 1024 * 1024;

/**
 * Builds the end of an archive: manifest, its checksum, two empty blocks. The same manifest makes the same bytes, so a
 * reader builds the end again and compares.
 */
export function buildTail(manifest: Manifest): Promise<Buffer> {
  return buildTailOf(padToBlock(JSON.stringify(manifest, null, 2)), manifest.createdAt);
}

function buildTailOf(text: string, createdAt: string): Promise<Buffer> {
  const archive = pack();
  const sum = `${createHash('sha256').update(text).digest('hex')}  ${NAMES.manifest}\n`;
  archive.entry({ ...createHeader(createdAt), name: NAMES.manifest }, text);
  archive.entry({ ...createHeader(createdAt), name: NAMES.manifestSum }, sum);
  archive.finalize();
  return readAll(archive);
}

function createHeader(createdAt: string): { mode: number; mtime: Date } {
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
  const written = await buildTailOf(text.content, manifest.data.createdAt);
  const found = await readAt(handle, text.start, size - text.start);
  if (text.start !== manifest.data.bytes || !written.equals(found)) throw new BackupError('damaged', file);
  return manifest.data;
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
