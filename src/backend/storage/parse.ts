import type { z } from 'zod';
import { StorageError } from './errors.ts';

/** Throws InvalidRequest with every problem found, in upstream's wording `body/limit must be …`. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, part: string): z.output<Schema> {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${[part, ...issue.path].join('/')} ${issue.message}`);
  throw new StorageError('InvalidRequest', problems.join(', '));
}
