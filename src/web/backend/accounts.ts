import * as contract from '#contract/accounts.ts';
import type { BackendClient } from './client.ts';
import { createCalls, ProblemError } from './own-server.ts';

/** `unreachable`: no answer that could be understood came. */
export type AccountsProblem = contract.AccountErrorCode | 'unreachable';

export class AccountsError extends ProblemError<AccountsProblem> {
  override readonly name = 'AccountsError';
}

const PATH = '/v1/accounts';

/**
 * /v1/accounts of our own server (D14): the browser shows who it is, the server holds the key. All throw AccountsError.
 */
export function connectAccounts(backend: BackendClient) {
  const { call, read } = createCalls(backend, contract.AccountFailureSchema, AccountsError);
  const answer = (method: string, path: string, body?: object) =>
    read(contract.AccountAnswerSchema, { method, path: `${PATH}${path}`, body });
  return {
    list: ({ search, page }: Readonly<{ search: string; page: number }>, signal: AbortSignal) => {
      const query = new URLSearchParams({ search, page: String(page) });
      return read(contract.AccountListSchema, { method: 'GET', path: `${PATH}?${query}`, signal });
    },
    make: (account: contract.NewAccount) => answer('POST', '', account),
    change: (id: string, change: contract.AccountChange) => answer('PATCH', `/${id}`, change),
    remove: async (id: string): Promise<void> => void (await call({ method: 'DELETE', path: `${PATH}/${id}` })),
    renewPassword: (id: string) => answer('POST', `/${id}/password`),
    inviteAgain: (id: string) => answer('POST', `/${id}/invitation`),
    factors: (id: string, signal: AbortSignal) =>
      read(contract.AccountFactorsSchema, { method: 'GET', path: `${PATH}/${id}/factors`, signal }),
    removeFactors: async (id: string): Promise<void> =>
      void (await call({ method: 'DELETE', path: `${PATH}/${id}/factors` })),
  };
}

export type Accounts = ReturnType<typeof connectAccounts>;
