import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { UnknownMigrationsError } from '#backend/maintenance.ts';
import { getErrorCode } from '#lib/error-code.ts';
import { BackupError, CommandError, toBackupError } from '../errors.ts';
import type { MoveErrorCode } from './error-texts.ts';

export class MoveError extends CommandError<MoveErrorCode> {}

/** Class 28: wrong password or role. */
const REFUSED = /^28/;
/** Class 08, or a server that shuts down: a later try may succeed. */
const AWAY = /^(?:08|57P0)/;

/** undefined for an unexpected error. */
export function toMoveError(error: unknown, folder: string): MoveError | BackupError | undefined {
  if (error instanceof MoveError) return error;
  if (error instanceof UnknownMigrationsError) return new MoveError('migrations_unknown', error.names.join(', '));
  if (error instanceof pg.DatabaseError) return new MoveError('database_failed', error.message, { cause: error });
  return toBackupError(error, folder);
}

/** Translates errors of the target's database. Returns unexpected errors as they are. */
export function toDatabaseError(error: unknown): unknown {
  if (error instanceof MoveError || error instanceof BackupError || error instanceof UnknownMigrationsError)
    return error;
  if (!(error instanceof Error)) return error;
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  if (REFUSED.test(code)) return new MoveError('database_refuses', error.message, { cause: error });
  if (error instanceof pg.DatabaseError && !AWAY.test(code)) return error;
  if (CERTIFICATE.test(getErrorCode(error) ?? '') || NO_SSL.test(error.message))
    return new MoveError('not_trusted', error.message, { cause: error });
  if (isNetwork(error) || AWAY.test(code)) return new MoveError('database_away', '', { cause: error });
  return error;
}

const CERTIFICATE = /CERT|UNABLE_TO|^ERR_TLS|^ERR_SSL/;
const NO_SSL = /does not support SSL/;
const NETWORK = /ECONN|ENOENT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|EAI_AGAIN/;

export function isNetwork(error: Error): boolean {
  // Some errors of pg have no code.
  return (
    NETWORK.test(getErrorCode(error) ?? '') || /Connection terminated|not queryable|timeout expired/.test(error.message)
  );
}

type Refusal = Readonly<{ message: string; status?: number | undefined; statusCode?: string | undefined }>;

/** Translates errors of the target's storage. With status 400 the real one is in the body (supabase-contract §3.1). */
export function toStorageError(error: Refusal, name: string, bytes: number): MoveError {
  const inBody = Number(error.statusCode ?? Number.NaN);
  const status = Number.isInteger(inBody) && inBody >= 400 ? inBody : (error.status ?? 0);
  if (status === 413) return new MoveError('file_too_large', `${name} (${bytes} Byte)`, { cause: error });
  if (status === 401 || status === 403) return new MoveError('wrong_key', '', { cause: error });
  if (status === 0 || status === 429 || status >= 500) return new MoveError('api_away', '', { cause: error });
  return new MoveError('file_refused', `${name}: ${error.message}`, { cause: error });
}

/** `api_away`: no answer or a server error, which may pass. `api_failed`: a refusal, which will not. */
export function toApiError(error: Readonly<{ message: string; status?: number | undefined }>): MoveError {
  const status = error.status ?? 0;
  return status === 0 || status >= 500
    ? new MoveError('api_away', '', { cause: error })
    : new MoveError('api_failed', error.message, { cause: error });
}

const PAUSES_MS = [500, 1_500, 3_000];

/** Tries again while the hosted project does not answer, so a short outage does not end hours of work. */
export async function retryWhileAway<T>(
  { signal }: Readonly<{ signal: AbortSignal }>,
  work: () => Promise<T>,
): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof MoveError && error.code === 'api_away')) throw error;
      await wait(pause, undefined, { signal });
    }
  }
  return work();
}
