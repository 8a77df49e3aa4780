import { z } from 'zod';
import { DeskFailure } from './faults.ts';

export const Id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Throws DeskFailure: invalid_request. */
export function valid<T extends z.core.$ZodType>(schema: T, given: unknown): z.output<T> {
  const result = z.safeParse(schema, given);
  if (result.success) return result.data;
  throw new DeskFailure('invalid_request', { cause: result.error });
}
