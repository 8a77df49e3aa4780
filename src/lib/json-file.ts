import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { parseJson } from './parse-json.ts';

/** undefined where the file is missing, cannot be read, or holds something else. */
export async function readJsonFile<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  return schema.safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data;
}
