import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isRequestError, answerErrors, type Catalogue, type ErrorProtocol, type HttpError } from '#http/errors.ts';
import type { Route } from '#http/route.ts';
import { describeCause, describeFault, getErrorCode } from '#lib/error-code.ts';
import { NoAdministratorError } from './administrator.ts';

/** The errors that each of this server's own modules has in its catalogue, some with a message of its own. */
export const SHARED_ERRORS = {
  not_authenticated: [401, 'A valid access token of a living session is needed'],
  not_admin: [403, 'Only an administrator may do this'],
  second_factor_needed: [403, 'The role requires a second factor'],
  invalid_request: [400, 'The request is not valid'],
  backend_failed: [502, 'The backend did not do it'],
  internal_error: [500, 'Internal error'],
} as const satisfies Catalogue<string>;

type SharedCode = keyof typeof SHARED_ERRORS;

type ErrorClass<Known extends HttpError> = new (code: SharedCode, options?: ErrorOptions) => Known;

const SERVER_ERROR = 500;
const UNAVAILABLE = 503;
const RETRY_AFTER_S = 1;

/** Errors of this server's own modules: `{ error: { code, message } }`. No answer shows a cause. */
export function createApiErrors<Known extends HttpError>(
  module: string,
  ModuleError: ErrorClass<Known>,
): ErrorProtocol<Known> {
  return {
    convert: (thrown) => {
      if (thrown instanceof ModuleError) return thrown;
      if (thrown instanceof NoAdministratorError) return new ModuleError(thrown.code, { cause: thrown.cause });
      return new ModuleError(isRequestError(thrown) ? 'invalid_request' : 'internal_error', { cause: thrown });
    },
    answer: ({ code, message, cause }) => ({
      body: { error: { code, message } },
      ...(isTemporary(cause) ? { status: UNAVAILABLE, headers: { 'retry-after': RETRY_AFTER_S } } : {}),
    }),
    log: ({ code, cause }, { request, status }) => {
      if (status < SERVER_ERROR || code === 'not_configured') request.log.info({ code }, `${module}: refused`);
      else request.log.error({ ...describeFault(cause), code, cause: describeCause(cause) }, `${module}: failed`);
    },
  };
}

/** Serves the routes of a module; nothing on the way keeps their answers. */
export function serveModule<Context, Known extends HttpError>(
  app: FastifyInstance,
  errors: ErrorProtocol<Known>,
  routes: readonly Route<Context>[],
  context: Context,
): void {
  answerErrors(app, errors);
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  for (const route of routes) route.mount(app, context);
}

/** Returns a function that validates input and throws the module's `invalid_request`. */
export function createParser<Known extends HttpError>(ModuleError: ErrorClass<Known>) {
  return <Value>(schema: z.core.$ZodType<Value>, given: unknown): Value => {
    const result = z.safeParse(schema, given);
    if (result.success) return result.data;
    throw new ModuleError('invalid_request', { cause: result.error });
  };
}

/** PostgREST's codes for a database out of reach, and PostgreSQL's for a connection that it ends. */
const DATABASE_DOWN = /^(?:PGRST00[0-3]|57P0[1235]|08...)$/;

/** Whether the backend failed only for the moment: an official client reports 503, or the database's code. */
function isTemporary(cause: unknown): boolean {
  if (typeof cause !== 'object' || cause === null) return false;
  return ('status' in cause && cause.status === UNAVAILABLE) || DATABASE_DOWN.test(getErrorCode(cause) ?? '');
}
