import * as z from 'zod/mini';
import { toBackendError, type BackendError } from './errors.ts';

const ErrorBody = z.object({
  message: z.optional(z.string()),
  code: z.optional(z.string()),
  statusCode: z.optional(z.string()),
});

/**
 * An answer of the storage that is no success. Plain uploads put the real status into a JSON body (supabase-contract
 * §3.1), resumable ones answer with the real status and plain text (contract §3.3).
 */
export function storageRefusal(status: number, body: string): BackendError {
  const parsed = ErrorBody.safeParse(parseJson(body));
  const { message = body, code, statusCode } = parsed.success ? parsed.data : {};
  const real = Number.parseInt(statusCode ?? '', 10);
  return toBackendError({ message, code }, Number.isNaN(real) ? status : real);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
