import {
  AccountAnswerSchema,
  AccountFactorsSchema,
  AccountFailureSchema,
  AccountListSchema,
  type AccountAnswer,
  type AccountChange,
  type AccountErrorCode,
  type AccountFactors,
  type AccountList,
  type NewAccount,
} from '#contract/accounts.ts';
import type { BackendClient } from './client.ts';
import { createCalls, ProblemError } from './own-server.ts';

/** `unreachable`: no answer that could be understood came. */
export type AccountsProblem = AccountErrorCode | 'unreachable';

export class AccountsError extends ProblemError<AccountsProblem> {
  override readonly name = 'AccountsError';
}

/**
 * /v1/accounts of our own server (D14): the browser shows who it is, the server holds the key. All throw AccountsError.
 */
export type Accounts = Readonly<{
  list: (query: Readonly<{ search: string; page: number }>, signal: AbortSignal) => Promise<AccountList>;
  make: (account: NewAccount) => Promise<AccountAnswer>;
  change: (id: string, change: AccountChange) => Promise<AccountAnswer>;
  remove: (id: string) => Promise<void>;
  renewPassword: (id: string) => Promise<AccountAnswer>;
  inviteAgain: (id: string) => Promise<AccountAnswer>;
  factors: (id: string, signal: AbortSignal) => Promise<AccountFactors>;
  removeFactors: (id: string) => Promise<void>;
}>;

const PATH = '/v1/accounts';

export function connectAccounts(backend: BackendClient): Accounts {
  const { call, read } = createCalls(backend, AccountFailureSchema, AccountsError);
  const answer = (method: string, path: string, body?: object): Promise<AccountAnswer> =>
    read(AccountAnswerSchema, { method, path: `${PATH}${path}`, body });
  return {
    list: ({ search, page }, signal) => {
      const query = new URLSearchParams({ search, page: String(page) });
      return read(AccountListSchema, { method: 'GET', path: `${PATH}?${query}`, signal });
    },
    make: (account) => answer('POST', '', account),
    change: (id, change) => answer('PATCH', `/${id}`, change),
    remove: async (id) => void (await call({ method: 'DELETE', path: `${PATH}/${id}` })),
    renewPassword: (id) => answer('POST', `/${id}/password`),
    inviteAgain: (id) => answer('POST', `/${id}/invitation`),
    factors: (id, signal) => read(AccountFactorsSchema, { method: 'GET', path: `${PATH}/${id}/factors`, signal }),
    removeFactors: async (id) => void (await call({ method: 'DELETE', path: `${PATH}/${id}/factors` })),
  };
}
