import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isRequestError, sendError, useErrors, type ErrorAnswer, type ErrorProtocol } from '#http/errors.ts';
import { getErrorCode } from '#lib/error-code.ts';
import { isUnavailable } from '../database/index.ts';
import { AuthError, badJson, ERRORS } from './errors.ts';

const VERSION_HEADER = 'x-supabase-api-version';
const VERSION = '2024-01-01';

const PROTOCOL: ErrorProtocol<AuthError> = {
  convert: toAuthError,
  answer: formatAnswer,
  log: ({ id, status, code }, { request, thrown }) => {
    // A flood of logins must not fill the log, too.
    if (status < 500 || code === 'over_request_rate_limit') return;
    request.log.error({ errorId: id, cause: describeCause(thrown) }, 'authentication request failed');
  },
};

/** Renders every error of this service in the form the request asks for (supabase-contract §1.1). */
export function useEnvelope(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  useErrors(app, PROTOCOL);
  app.setNotFoundHandler((request, reply) => sendError(PROTOCOL, ERRORS.notFound(), request, reply));
}

function formatAnswer({ status, code, message, extra, id }: AuthError, request: FastifyRequest): ErrorAnswer {
  const isVersioned = acceptsVersion(request);
  const version = isVersioned ? { [VERSION_HEADER]: VERSION } : {};
  if (code === '') return { headers: version, body: extra };
  const headers = { ...version, 'x-sb-error-code': code };
  if (isVersioned) return { headers, body: { code, message, ...extra } };
  const errorId = id === undefined ? {} : { error_id: id };
  return { headers, body: { code: status, error_code: code, msg: message, ...errorId, ...extra } };
}

/** Any date since the first version gets the newest format. */
function acceptsVersion(request: FastifyRequest): boolean {
  const asked = request.headers[VERSION_HEADER];
  return typeof asked === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= VERSION;
}

function toAuthError(thrown: unknown): AuthError {
  if (thrown instanceof AuthError) return thrown;
  const code = getErrorCode(thrown);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return ERRORS.tooLarge();
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return ERRORS.notJson();
  if (isRequestError(thrown)) return badJson('request could not be read');
  return isUnavailable(thrown) ? ERRORS.databaseDown() : ERRORS.unexpected();
}

/** PostgreSQL puts row values into `detail`, so only message and code are logged. */
function describeCause(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = getErrorCode(error);
  return `${code ?? name}: ${code?.length === 5 ? 'database refused a statement' : message}`;
}
