import { useEffect, useMemo, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AccountList } from '#contract/accounts.ts';
import { AccountsError, connectAccounts, type Accounts, type AccountsProblem } from '#web/backend/accounts.ts';
import { useBackend } from '#web/backend/client.ts';

export type AccountsState =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: AccountsProblem }>
  | Readonly<{ status: 'ready'; list: AccountList }>;

export type UseAccounts = Readonly<{
  state: AccountsState;
  search: string;
  setSearch: (search: string) => void;
  setPage: (page: number) => void;
  reload: () => void;
}>;

/** Pause after the last key before the search starts. */
const PAUSE_MS = 250;

export function useAccountsServer(): Accounts {
  const backend = useBackend();
  return useMemo(() => connectAccounts(backend), [backend]);
}

/** Loads a page of the list; the shown one stays until the next arrives. */
export function useAccounts(): UseAccounts {
  const accounts = useAccountsServer();
  const [search, setSearch] = useState('');
  const [query, setQuery] = useState({ search: '', page: 1 });
  useEffect(() => {
    if (search === query.search) return undefined;
    const timer = setTimeout(() => setQuery({ search, page: 1 }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [search, query.search]);
  const { data, error, refetch } = useQuery({
    queryKey: ['accounts', query],
    queryFn: ({ signal }) => accounts.list(query, signal),
    placeholderData: keepPreviousData,
  });
  return {
    state: toState(data, error),
    search,
    setSearch,
    setPage: (page) => setQuery((before) => ({ ...before, page })),
    reload: () => void refetch(),
  };
}

function toState(list: AccountList | undefined, error: Error | null): AccountsState {
  if (error !== null) return { status: 'failed', problem: getAccountsProblem(error) };
  return list === undefined ? { status: 'loading' } : { status: 'ready', list };
}

export function getAccountsProblem(error: unknown): AccountsProblem {
  return error instanceof AccountsError ? error.problem : 'internal_error';
}
