import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import { parseJson } from './parse-json.ts';

const DRAFT = '.draft';

/** Replaces a file that only its owner may read. Afterwards the whole new content survives a power cut. */
export async function writeDurably(file: string, content: string | Buffer): Promise<void> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}${DRAFT}`);
  try {
    await writeAndFlush(draft, content);
    await renameDurably(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeAndFlush(file: string, content: string | Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The value of a small JSON file; undefined where the file is missing, cannot be read, or holds something else. */
export async function readJsonFile<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  return schema.safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data;
}

/** Removes what killed processes were writing into a folder. Call it before anything writes there. */
export async function removeUnfinishedFiles(folder: string): Promise<void> {
  const names: string[] = await readdir(folder).catch(() => []);
  for (const name of names)
    if (name.startsWith('.') && name.endsWith(DRAFT)) await rm(path.join(folder, name), { force: true });
}

/** Does nothing where the file is missing. */
export async function removeDurably(file: string): Promise<void> {
  await rm(file, { force: true });
  await syncFolder(path.dirname(file));
}

/** Afterwards the new name survives a power cut. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(path.dirname(to));
}

/** Flushes the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
