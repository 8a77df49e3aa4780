import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DeskErrorCode } from '#contract/desk-files.ts';
import { isAccessRefusal } from '#http/refusals.ts';
import { describeCause } from '#lib/error-code.ts';
import { NoAdministratorError } from '../administrator.ts';
import { isTemporary, tryAgainLater } from '../temporary.ts';

/** Every error of /v1/desk: HTTP status, and a message for logs and developers. */
const CATALOGUE: Readonly<Record<DeskErrorCode, readonly [status: number, message: string]>> = {
  not_authenticated: [401, 'A valid access token of a living session, or a ticket, is needed'],
  not_admin: [403, 'Only an administrator may do this'],
  second_factor_needed: [403, 'The role requires a second factor'],
  invalid_request: [400, 'The request is not valid'],
  ticket_invalid: [401, 'The ticket was used, is too old or stands for something else'],
  contribution_not_found: [404, 'There is no such contribution'],
  file_not_found: [404, 'The contribution has no such file'],
  file_missing: [410, 'The store has no such file any more'],
  file_damaged: [410, 'The store has not all of this file, or not what was uploaded'],
  person_not_found: [404, 'Nothing is known about this address'],
  own_account: [409, 'Nobody can erase the own account'],
  last_admin: [409, 'The last administrator has to stay'],
  retention_off: [409, 'No retention period is configured'],
  retention_too_early: [409, 'The retention period is not over at that time'],
  not_configured: [503, 'No service key is configured'],
  backend_failed: [502, 'The backend did not do it'],
  erasure_unfinished: [502, 'The erasure is recorded and will be tried again'],
  internal_error: [500, 'Internal error'],
};

export class DeskError extends Error {
  readonly code: DeskErrorCode;
  constructor(code: DeskErrorCode, options?: ErrorOptions) {
    super(CATALOGUE[code][1], options);
    this.name = 'DeskError';
    this.code = code;
  }
}

/** Sends `{ error: { code, message } }`; only the log gets the cause. */
export function renderError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, cause } = toDeskError(error);
  const [usual, message] = CATALOGUE[code];
  const status = isTemporary(cause) ? tryAgainLater(reply) : usual;
  log(request, { code, cause }, status);
  return reply.code(status).send({ error: { code, message } });
}

function log(request: FastifyRequest, { code, cause }: Pick<DeskError, 'code' | 'cause'>, status: number): void {
  if (isAccessRefusal(status)) return;
  if (status < SERVER_ERROR || code === 'not_configured') request.log.info({ code }, 'desk: refused');
  else request.log.error({ code, cause: describeCause(cause) }, 'desk: failed');
}

const SERVER_ERROR = 500;

function toDeskError(error: unknown): DeskError {
  if (error instanceof DeskError) return error;
  if (error instanceof NoAdministratorError) return new DeskError(error.code, { cause: error.cause });
  return new DeskError(isRequestError(error) ? 'invalid_request' : 'internal_error', { cause: error });
}

/** Fastify refuses a malformed, too large or unsupported body by itself. */
function isRequestError(error: unknown): boolean {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < SERVER_ERROR;
}
