import { z } from 'zod';
import { DeskError } from './error.ts';

export const Id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Throws DeskError: invalid_request. */
export function parseRequest<T extends z.core.$ZodType>(schema: T, given: unknown): z.output<T> {
  const result = z.safeParse(schema, given);
  if (result.success) return result.data;
  throw new DeskError('invalid_request', { cause: result.error });
}
