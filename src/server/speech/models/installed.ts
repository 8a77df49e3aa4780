import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { removeDurably, writeDurably } from '#lib/durable-file.ts';
import { getErrorCode } from '#lib/error-code.ts';
import type { ModelKind } from './catalogue.ts';
import { getSize } from './files.ts';

/** A model in the folder, described by the file beside it: it stays usable when the catalogue changes. */
export type InstalledModel = Readonly<{
  name: string;
  kind: ModelKind;
  /** The model's own file. */
  path: string;
  bytes: number;
  sha256: string;
  /** ISO 8601. The model installed last is the one in use. */
  installedAt: string;
}>;

const RECORD_END = '.json';

/** `file` instead of a path: the folder may move. */
const RecordSchema = z.object({
  version: z.literal(1),
  name: z.string(),
  kind: z.enum(['whisper', 'parakeet']),
  file: z.string().refine((file) => path.basename(file) === file),
  bytes: z.number(),
  sha256: z.string(),
  from: z.string(),
  installedAt: z.string(),
});
type ModelRecord = z.infer<typeof RecordSchema>;

export async function writeRecord(folder: string, record: ModelRecord): Promise<InstalledModel> {
  await writeDurably(path.join(folder, record.file) + RECORD_END, `${JSON.stringify(record, null, 2)}\n`);
  return toInstalled(folder, record);
}

export function removeRecord(modelFile: string): Promise<void> {
  return removeDurably(modelFile + RECORD_END);
}

/** A record whose file is missing or has another size does not count. */
export async function readInstalled(folder: string): Promise<InstalledModel[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const records = names
    .filter((name) => name.endsWith(RECORD_END) && !name.startsWith('.'))
    .map(async (name) => {
      const record = await readRecord(path.join(folder, name));
      if (record === undefined) return [];
      const size = await getSize(path.join(folder, record.file));
      return size === record.bytes ? [toInstalled(folder, record)] : [];
    });
  return (await Promise.all(records)).flat();
}

async function readRecord(file: string): Promise<ModelRecord | undefined> {
  try {
    return RecordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function toInstalled(folder: string, { name, kind, file, bytes, sha256, installedAt }: ModelRecord): InstalledModel {
  return { name, kind, path: path.join(folder, file), bytes, sha256, installedAt };
}
