import { createHash } from 'node:crypto';
import { z } from 'zod';

/** A later format that this code cannot read gets another number. */
export const FORMAT = 1;
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

export const ManifestSchema = FactsSchema.extend({
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
export const KindSchema = z.object({ kind: z.literal(KIND), format: z.number().int() });

export function createManifest(facts: Facts, proof: Pick<Manifest, 'parts' | 'sha256' | 'bytes' | 'crc32'>): Manifest {
  return { kind: KIND, format: FORMAT, ...facts, ...proof };
}

const BLOCK = 512;

/** Bytes of a tar entry: header and content, padded to whole blocks. */
export function computeEntrySize(contentBytes: number): number {
  return BLOCK + Math.ceil(contentBytes / BLOCK) * BLOCK;
}

export function formatGroupName(number: number): string {
  return `${NAMES.sums}${String(number).padStart(6, '0')}.sha256`;
}

/** Number of parts whose checksums share an entry, and are held in memory at once. */
const GROUP = 1_000;

type Part = Readonly<{ name: string; sha256: string }>;

/** Collects the checksums of parts, group by group, and one checksum over all. */
export type Sums = Readonly<{
  add: (part: Part) => void;
  full: () => boolean;
  /** Returns the group in the format of `sha256sum` and begins a new one. undefined: the group is empty. */
  takeGroup: () => Buffer | undefined;
  total: () => { parts: number; sha256: string };
}>;

export function createSums(): Sums {
  const all = createHash('sha256');
  let group: string[] = [];
  let parts = 0;
  return {
    add: ({ name, sha256 }) => {
      const line = `${sha256}  ${name}\n`;
      group.push(line);
      all.update(line);
      parts += 1;
    },
    full: () => group.length >= GROUP,
    takeGroup: () => {
      const text = group.length === 0 ? undefined : Buffer.from(group.join(''));
      group = [];
      return text;
    },
    total: () => ({ parts, sha256: all.copy().digest('hex') }),
  };
}
