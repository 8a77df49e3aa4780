import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { removeDurably, writeDurably } from '#lib/durable-file.ts';

const ServerFileSchema = z.object({ url: z.string(), pid: z.number(), databaseUrl: z.string() });

/** How a command on the same machine finds the running server's database. Readable for its owner only. */
export type ServerFile = z.infer<typeof ServerFileSchema>;

const fileOf = (folder: string): string => path.join(folder, 'server.json');

export function writeServerFile(folder: string, content: ServerFile): Promise<void> {
  return writeDurably(fileOf(folder), `${JSON.stringify(content, null, 2)}\n`);
}

export function removeServerFile(folder: string): Promise<void> {
  return removeDurably(fileOf(folder));
}

/** undefined where there is none, or none that can be read. A killed server leaves its file behind. */
export async function readServerFile(folder: string): Promise<ServerFile | undefined> {
  const text = await readFile(fileOf(folder), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return ServerFileSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
