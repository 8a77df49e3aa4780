import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountErrorCode } from '#contract/accounts.ts';
import { isAccessRefusal } from '#http/refusals.ts';
import { describeCause } from '#lib/error-code.ts';
import { NoAdministratorError } from '../administrator.ts';
import { isTemporary, tryAgainLater } from '../temporary.ts';

/** Status and message of every error of /v1/accounts; the messages are for developers. */
const CATALOGUE: Readonly<Record<AccountErrorCode, readonly [status: number, message: string]>> = {
  not_authenticated: [401, 'A valid access token of a living session is needed'],
  not_admin: [403, 'Only an administrator may manage accounts'],
  second_factor_needed: [403, 'A session that has shown the second factor is needed'],
  invalid_request: [400, 'The request is not valid'],
  account_not_found: [404, 'There is no such account'],
  email_exists: [409, 'There is an account with this address already'],
  own_account: [409, 'Nobody can lock, remove or demote the own account'],
  last_admin: [409, 'The last administrator has to stay'],
  already_signed_in: [409, 'The invitation was accepted already'],
  mail_limit: [429, 'Too many mails for now'],
  not_configured: [503, 'No service key is configured'],
  backend_failed: [502, 'The backend did not do it'],
  internal_error: [500, 'Internal error'],
};

export class AccountRouteError extends Error {
  readonly code: AccountErrorCode;
  constructor(code: AccountErrorCode, options?: ErrorOptions) {
    super(CATALOGUE[code][1], options);
    this.name = 'AccountRouteError';
    this.code = code;
  }
}

/** Answers `{ error: { code, message } }` and logs the cause, which no answer shows. */
export function renderFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toRouteError(error);
  const [usual, message] = CATALOGUE[failure.code];
  const status = isTemporary(failure.cause) ? tryAgainLater(reply) : usual;
  log(request, failure, status);
  return reply.code(status).send({ error: { code: failure.code, message } });
}

function toRouteError(error: unknown): AccountRouteError {
  if (error instanceof AccountRouteError) return error;
  if (error instanceof NoAdministratorError) return new AccountRouteError(error.code, { cause: error.cause });
  return new AccountRouteError(getCode(error), { cause: error });
}

/** Fastify refuses a body that is malformed, too large or of another type: the caller's error. */
function getCode(error: unknown): AccountErrorCode {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? 'invalid_request' : 'internal_error';
}

const SERVER_ERROR = 500;

function log(request: FastifyRequest, { code, cause }: AccountRouteError, status: number): void {
  if (isAccessRefusal(status)) return;
  if (status < SERVER_ERROR || code === 'not_configured') request.log.info({ code }, 'accounts: refused');
  else request.log.error({ code, cause: describeCause(cause) }, 'accounts: failed');
}
