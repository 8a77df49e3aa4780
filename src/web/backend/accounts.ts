import * as z from 'zod/mini';
import {
  AccountAnswerSchema,
  AccountFailureSchema,
  AccountListSchema,
  type AccountAnswer,
  type AccountChange,
  type AccountFault,
  type AccountList,
  type NewAccount,
} from '#contract/accounts.ts';
import type { BackendClient } from './client.ts';

/** `unreachable`: no answer that could be understood came. */
export type AccountsProblem = AccountFault | 'unreachable';

export class AccountsError extends Error {
  override readonly name = 'AccountsError';
  readonly problem: AccountsProblem;
  constructor(problem: AccountsProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/** /v1/accounts of our own server (D14): the browser shows who it is, the server holds the key. All throw AccountsError. */
export type Accounts = Readonly<{
  list: (query: Readonly<{ search: string; page: number }>, signal: AbortSignal) => Promise<AccountList>;
  make: (account: NewAccount) => Promise<AccountAnswer>;
  change: (id: string, change: AccountChange) => Promise<AccountAnswer>;
  remove: (id: string) => Promise<void>;
  renewPassword: (id: string) => Promise<AccountAnswer>;
  inviteAgain: (id: string) => Promise<AccountAnswer>;
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
  };
}

type Call = Readonly<{ method: string; path: string; body?: object | undefined; signal?: AbortSignal }>;

async function call({ supabase }: BackendClient, { method, path, body, signal }: Call): Promise<unknown> {
  const { data } = await supabase.auth.getSession();
  const headers = new Headers({ authorization: `Bearer ${data.session?.access_token ?? ''}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await fetch(`/v1/accounts${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    throw new AccountsError('unreachable', { cause });
  });
  const text = await response.text();
  const content: unknown = text === '' ? undefined : parsed(text);
  if (response.ok) return content;
  const failure = AccountFailureSchema.safeParse(content);
  throw new AccountsError(failure.success ? failure.data.error.code : 'unreachable');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AccountsError('unreachable', { cause });
  }
}

function understood<T extends z.core.$ZodType>(schema: T, content: unknown): z.output<T> {
  const result = z.safeParse(schema, content);
  if (result.success) return result.data;
  throw new AccountsError('unreachable', { cause: result.error });
}
