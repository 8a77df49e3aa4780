import type { AccountErrorCode } from '#contract/accounts.ts';
import { HttpError, type Catalogue } from '#http/errors.ts';

const CATALOGUE: Catalogue<AccountErrorCode> = {
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

export class AccountRouteError extends HttpError<AccountErrorCode> {
  constructor(code: AccountErrorCode, options?: ErrorOptions) {
    const [status, message] = CATALOGUE[code];
    super(status, code, message, options);
  }
}
