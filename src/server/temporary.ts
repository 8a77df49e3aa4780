import type { FastifyReply } from 'fastify';
import { getErrorCode } from '#lib/error-code.ts';

const UNAVAILABLE = 503;
const RETRY_AFTER_S = 1;
/** PostgREST's codes for a database out of reach, and PostgreSQL's for a connection that it ends. */
const DATABASE_DOWN = /^(?:PGRST00[0-3]|57P0[1235]|08...)$/;

/**
 * Whether the backend failed only for the moment: an official client reports 503 as `status`, or the database's code.
 */
export function isTemporary(cause: unknown): boolean {
  if (typeof cause !== 'object' || cause === null) return false;
  if ('status' in cause && cause.status === UNAVAILABLE) return true;
  return DATABASE_DOWN.test(getErrorCode(cause) ?? '');
}

/** Returns the status to answer with. */
export function tryAgainLater(reply: FastifyReply): number {
  void reply.header('retry-after', RETRY_AFTER_S);
  return UNAVAILABLE;
}
