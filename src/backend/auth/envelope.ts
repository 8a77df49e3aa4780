import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../database/index.ts';
import { AuthError, badJson, ERRORS } from './errors.ts';

const VERSION_HEADER = 'x-supabase-api-version';
const VERSION = '2024-01-01';

/** Renders every error of this service in the form the request asks for (supabase-contract §1.1). */
export function useEnvelope(app: FastifyInstance, log: FastifyBaseLogger): void {
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = toAuthError(error);
    const errorId = answer.status < 500 ? undefined : randomUUID();
    if (errorId !== undefined) log.error({ errorId, cause: describeCause(error) }, 'authentication request failed');
    return render(answer, request, reply, errorId);
  });
  app.setNotFoundHandler((request, reply) => render(ERRORS.notFound(), request, reply, undefined));
}

function render(
  error: AuthError,
  request: FastifyRequest,
  reply: FastifyReply,
  errorId: string | undefined,
): FastifyReply {
  void reply.code(error.status);
  const versioned = acceptsVersion(request);
  if (versioned) void reply.header(VERSION_HEADER, VERSION);
  if (error.code === '') return reply.send(error.extra);
  void reply.header('x-sb-error-code', error.code);
  if (versioned) return reply.send({ code: error.code, message: error.message, ...error.extra });
  const id = errorId === undefined ? {} : { error_id: errorId };
  return reply.send({ code: error.status, error_code: error.code, msg: error.message, ...id, ...error.extra });
}

/** Any date since the first version gets the newest format. */
function acceptsVersion(request: FastifyRequest): boolean {
  const asked = request.headers[VERSION_HEADER];
  return typeof asked === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= VERSION;
}

function toAuthError(error: FastifyError | AuthError): AuthError {
  if (error instanceof AuthError) return error;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return ERRORS.tooLarge();
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return ERRORS.notJson();
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return badJson('request could not be read');
  }
  return isUnavailable(error) ? ERRORS.databaseDown() : ERRORS.unexpected();
}

/** PostgreSQL puts row values into `detail`, so only message and code are logged. */
function describeCause(error: FastifyError): string {
  return `${error.code ?? error.name}: ${error.code?.length === 5 ? 'database refused a statement' : error.message}`;
}
