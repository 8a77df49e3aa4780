import pg from 'pg';
import { StorageError, type StorageErrorCode } from './errors.ts';

const ROW_LEVEL_SECURITY = /row-level security policy/;
const CONNECTION_LOST = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** What of PostgreSQL's errors a caller may know; undefined for the rest. */
export function databaseError(error: unknown): StorageError | undefined {
  if (error instanceof pg.DatabaseError) return answerOf(error);
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A Unix socket that is not there is no missing file.
  const noSocket = code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
  const lost = noSocket || CONNECTION_LOST.has(code) || /timeout exceeded|Connection terminated/i.test(error.message);
  return lost ? new StorageError('DatabaseTimeout', undefined, { cause: error }) : undefined;
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
  if (state === '57014' || state.startsWith('08') || state.startsWith('57P')) return 'DatabaseTimeout';
  if (state.startsWith('22') || state.startsWith('23')) return 'InvalidRequest';
  return undefined;
}
