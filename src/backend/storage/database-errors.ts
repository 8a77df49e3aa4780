import pg from 'pg';
import { isConnectionError, isUnavailable } from '../database/index.ts';
import { StorageError, type StorageErrorCode } from './errors.ts';

const ROW_LEVEL_SECURITY = /row-level security policy/;

/** What of PostgreSQL's errors a caller may know; undefined for the rest. */
export function databaseError(error: unknown): StorageError | undefined {
  if (error instanceof pg.DatabaseError) return answerOf(error);
  if (isConnectionError(error)) return new StorageError('DatabaseUnavailable', undefined, { cause: error });
  return isUnavailable(error) ? new StorageError('DatabaseTimeout', undefined, { cause: error }) : undefined;
}

/** Whether an insert hit an existing row. */
export function isDuplicate(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** Whether a row points at a row that is not there, or is pointed at by others. */
export function isBrokenReference(error: unknown): boolean {
  return sqlState(error) === '23503';
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

function answerOf(error: pg.DatabaseError): StorageError | undefined {
  const code = codeOf(error.code ?? '');
  if (code === undefined) return undefined;
  // Names of tables and constraints are nobody's business.
  const message = code === 'AccessDenied' && !ROW_LEVEL_SECURITY.test(error.message) ? 'Access denied' : undefined;
  return new StorageError(code, message, { cause: error });
}

function codeOf(state: string): StorageErrorCode | undefined {
  // 22023 is also what PostgreSQL answers to a role that does not exist; both are refusals of the token's role.
  if (state === '42501' || state === '22023') return 'AccessDenied';
  if (state === '23505') return 'KeyAlreadyExists';
  if (state === '23503') return 'NoSuchBucket';
  if (state === '53400') return 'QuotaExceeded';
  if (state === '53100') return 'InsufficientStorage';
  if (state.startsWith('53')) return 'SlowDown';
  if (state === '57014') return 'DatabaseTimeout';
  if (/^(?:08|57P|25P0[34])/.test(state)) return 'DatabaseUnavailable';
  if (state.startsWith('22') || state.startsWith('23')) return 'InvalidRequest';
  return undefined;
}
