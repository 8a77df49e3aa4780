import pg from 'pg';
import { getErrorCode } from '#lib/error-code.ts';

/** SQLSTATEs that PostgreSQL sends when it ends or refuses a connection, whatever was asked on it. */
const ENDED = /^(?:08|57P0[1235]|25P0[34]|53300)/;
// prettier-ignore
const SOCKET = new Set([
  'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT',
]);
const DRIVER = /^(?:connection terminated|client (?:has encountered a connection error|was closed)|timeout expired)/i;
const NO_CONNECTION = /^timeout exceeded when trying to connect/i;

/** The connection failed, not the statement, which may succeed on another connection. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return ENDED.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  return isSocketError(error) || DRIVER.test(error.message);
}

/** PostgreSQL has ended the transaction, because it and another one waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return getErrorCode(error) === '40P01';
}

/** PostgreSQL has ended the transaction for a lock that another one holds. */
export function isStoppedByLock(error: unknown): boolean {
  return isDeadlock(error) || getErrorCode(error) === '55P03';
}

/** The constraint that a row would violate because another row has its value; undefined for other errors. */
export function getTakenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === '23505' ? (error.constraint ?? '') : undefined;
}

/** The connection failed, or none became free in time: the caller may try again later (503). */
export function isUnavailable(error: unknown): boolean {
  return isConnectionError(error) || (error instanceof Error && NO_CONNECTION.test(error.message));
}

/** A missing file is also ENOENT: only `connect` reports a missing socket. */
function isSocketError(error: Error): boolean {
  const code = getErrorCode(error) ?? '';
  if (code !== 'ENOENT') return SOCKET.has(code);
  return 'syscall' in error && error.syscall === 'connect';
}
