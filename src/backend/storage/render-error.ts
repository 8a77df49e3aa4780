import type { FastifyReply, FastifyRequest } from 'fastify';
import pg from 'pg';
import { isRequestError, type ErrorProtocol } from '#http/errors.ts';
import { getErrorCode } from '#lib/error-code.ts';
import { TokenError, type TokenErrorCode } from '#http/tokens.ts';
import { StorageError, type StorageErrorCode } from './errors.ts';
import { MissingFileError, StoreFullError, StoreUnavailableError } from './stores/object-store.ts';
import { isConnectionError, isUnavailable } from '../database/index.ts';

/** An error outside the catalogue is a 500 without its text. */
export const STORAGE_ERRORS: ErrorProtocol<StorageError> = {
  convert: toStorageError,
  answer: ({ body }) => ({
    headers: { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' },
    body,
  }),
  log: ({ code, status }, { request, thrown }) => {
    const facts = { cause: describeError(thrown), code };
    if (code === 'InternalError') request.log.error(facts, 'storage request failed');
    else if (status >= 500) request.log.warn(facts, 'storage request failed');
  },
};

/** The answer to an unknown path differs from every other (supabase-contract §3.1). */
export function renderNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0];
  const message = `Route ${request.method}:${path} not found`;
  return reply.code(404).send({ message, error: 'Not Found', statusCode: 404 });
}

export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const wrap = (code: StorageErrorCode, message?: string, http?: number) =>
    new StorageError(code, message, { cause: error }, http);
  if (error instanceof TokenError) return wrap('AccessDenied', TOKEN_MESSAGES[error.code]);
  if (error instanceof StoreFullError) return wrap('InsufficientStorage');
  // The library of resumable uploads passes on the errors of the S3 client, which have this.
  const isFromS3 = error instanceof Error && '$metadata' in error;
  if (isFromS3 || error instanceof StoreUnavailableError) return wrap('StoreUnavailable');
  if (error instanceof MissingFileError) return wrap('NoSuchKey');
  const fault = getErrorCode(error);
  if (fault === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrap('InvalidMimeType', 'Invalid Content-Type header');
  if (fault === 'FST_ERR_CTP_BODY_TOO_LARGE') return wrap('EntityTooLarge', 'Request body is too large', 413);
  if (isRequestError(error) && fault?.startsWith('FST_') === true) return wrap('InvalidRequest', error.message);
  if (error instanceof pg.DatabaseError) return mapSqlError(error) ?? wrap('InternalError');
  if (isConnectionError(error)) return wrap('DatabaseUnavailable');
  return wrap(isUnavailable(error) ? 'DatabaseTimeout' : 'InternalError');
}

const TOKEN_MESSAGES: Readonly<Record<TokenErrorCode, string>> = {
  malformed: 'Invalid Compact JWS',
  'no-key': 'Invalid Compact JWS',
  signature: 'signature verification failed',
  expired: '"exp" claim timestamp check failed',
  'not-yet-valid': '"nbf" claim timestamp check failed',
  issuer: 'unexpected "iss" claim value',
  audience: 'unexpected "aud" claim value',
};

/** Message and stack, without the error's other members: they may carry rows or credentials. */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { message: error.message, stack: error.stack, ...cause };
}

const ROW_LEVEL_SECURITY = /row-level security policy/;

/** Undefined for errors that a caller must not see. */
function mapSqlError(error: pg.DatabaseError): StorageError | undefined {
  const code = mapSqlState(error.code ?? '');
  if (code === undefined) return undefined;
  // PostgreSQL's message would name tables and constraints.
  const message = code === 'AccessDenied' && !ROW_LEVEL_SECURITY.test(error.message) ? 'Access denied' : undefined;
  return new StorageError(code, message, { cause: error });
}

function mapSqlState(state: string): StorageErrorCode | undefined {
  // PostgreSQL answers 22023 where the token's role does not exist.
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
