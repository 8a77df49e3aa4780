import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { TokenError, type TokenFault } from '#http/tokens.ts';
import { databaseError } from './database-errors.ts';
import { StorageError } from './errors.ts';
import { MissingFileError, StoreFullError, StoreUnavailableError } from './object-store.ts';

/** The one place where an error becomes an answer. What is not in the catalogue is a 500 without its text. */
export function renderError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = storageError(error);
  if (known.code === 'InternalError') request.log.error({ cause: detail(error) }, 'storage call failed');
  else if (known.httpStatus >= 500) request.log.warn({ cause: detail(error), code: known.code }, 'storage call failed');
  return reply
    .code(known.httpStatus)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(known.body);
}

/** The answer to an unknown path differs from every other (supabase-contract §3.1). */
export function renderNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?', 1)[0];
  return reply
    .code(404)
    .send({ message: `Route ${request.method}:${path} not found`, error: 'Not Found', statusCode: 404 });
}

export function storageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  if (error instanceof TokenError) return new StorageError('AccessDenied', TOKEN_WORDS[error.fault], { cause: error });
  if (error instanceof StoreFullError) return new StorageError('InsufficientStorage', undefined, { cause: error });
  if (error instanceof StoreUnavailableError) return new StorageError('StoreUnavailable', undefined, { cause: error });
  if (error instanceof MissingFileError) return new StorageError('NoSuchKey', undefined, { cause: error });
  if (isRequestFault(error)) return new StorageError('InvalidRequest', error.message, { cause: error });
  return databaseError(error) ?? new StorageError('InternalError', undefined, { cause: error });
}

const TOKEN_WORDS: Readonly<Record<TokenFault, string>> = {
  malformed: 'Invalid Compact JWS',
  'no-key': 'Invalid Compact JWS',
  signature: 'signature verification failed',
  expired: '"exp" claim timestamp check failed',
  'not-yet-valid': '"nbf" claim timestamp check failed',
  issuer: 'unexpected "iss" claim value',
  audience: 'unexpected "aud" claim value',
};

/** What Fastify itself finds wrong with a request: no JSON, body too large, a content type nobody reads. */
function isRequestFault(error: unknown): error is FastifyError {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return false;
  const { code, statusCode } = error;
  return typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number' && statusCode < 500;
}

/** Words and stack, without the objects that hang on an error: they may carry rows or credentials. */
function detail(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { message: error.message, stack: error.stack, ...cause };
}
