import * as z from 'zod/mini';
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
import { askServer, type ServerCall } from './own-server.ts';

/** `unreachable`: no answer that could be understood came. */
export type AccountsProblem = AccountErrorCode | 'unreachable';

export class AccountsError extends Error {
  override readonly name = 'AccountsError';
  readonly problem: AccountsProblem;
  constructor(problem: AccountsProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
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

export function connectAccounts(backend: BackendClient): Accounts {
  const answer = async (method: string, path: string, body?: object): Promise<AccountAnswer> =>
    understood(AccountAnswerSchema, await call(backend, { method, path, body }));
  return {
    list: async ({ search, page }, signal) => {
      const query = new URLSearchParams({ search, page: String(page) });
      return understood(AccountListSchema, await call(backend, { method: 'GET', path: `?${query}`, signal }));
    },
    make: (account) => answer('POST', '', account),
    change: (id, change) => answer('PATCH', `/${id}`, change),
    remove: async (id) => void (await call(backend, { method: 'DELETE', path: `/${id}` })),
    renewPassword: (id) => answer('POST', `/${id}/password`),
    inviteAgain: (id) => answer('POST', `/${id}/invitation`),
    factors: async (id, signal) =>
      understood(AccountFactorsSchema, await call(backend, { method: 'GET', path: `/${id}/factors`, signal })),
    removeFactors: async (id) => void (await call(backend, { method: 'DELETE', path: `/${id}/factors` })),
  };
}

async function call(backend: BackendClient, { path, ...rest }: ServerCall): Promise<unknown> {
  const answer = await askServer(backend, { ...rest, path: `/v1/accounts${path}` }).catch((cause: unknown) => {
    throw new AccountsError('unreachable', { cause });
  });
  if (answer.ok) return answer.content;
  const failure = AccountFailureSchema.safeParse(answer.content);
  throw new AccountsError(failure.success ? failure.data.error.code : 'unreachable');
}

function understood<T extends z.core.$ZodType>(schema: T, content: unknown): z.output<T> {
  const result = z.safeParse(schema, content);
  if (result.success) return result.data;
  throw new AccountsError('unreachable', { cause: result.error });
}
