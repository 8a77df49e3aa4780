import { z } from 'zod';

/** The only format there is. A later one that this code could not read gets another number. */
export const FORMAT = 1;
const KIND = 'social-media-content-assistant backup';

/** How an archive names its parts; `docs/operations.md` tells operators. */
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

/** What was copied. */
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
  /** Parts that have a sum, and the sum of all those sums in their order. */
  parts: Count,
  sha256: z.hex().length(64),
  /** Bytes before the manifest, and their CRC-32: it covers what lies between the parts too. */
  bytes: Count,
  crc32: Count,
});
export type Manifest = z.infer<typeof ManifestSchema>;

/** Enough to tell our own archives from others before their format is asked. */
export const KindSchema = z.object({ kind: z.literal(KIND), format: z.number().int() });

export function manifestOf(facts: Facts, proof: Pick<Manifest, 'parts' | 'sha256' | 'bytes' | 'crc32'>): Manifest {
  return { kind: KIND, format: FORMAT, ...facts, ...proof };
}

const BLOCK = 512;

/** Bytes of an entry of tar: its header and its content, filled up to whole blocks. */
export function sizeOfEntry(contentBytes: number): number {
  return BLOCK + Math.ceil(contentBytes / BLOCK) * BLOCK;
}

export function groupName(number: number): string {
  return `${NAMES.sums}${String(number).padStart(6, '0')}.sha256`;
}
