import { useCallback, useEffect, useMemo, useState } from 'react';
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
  accounts: Accounts;
}>;

/** Pause after the last key before the search starts. */
const PAUSE_MS = 250;

type Query = Readonly<{ search: string; page: number; turn: number }>;

/** Loads the list of the newest query and ignores late answers. */
export function useAccounts(): UseAccounts {
  const backend = useBackend();
  const accounts = useMemo(() => connectAccounts(backend), [backend]);
  const [state, setState] = useState<AccountsState>({ status: 'loading' });
  const [search, setSearch] = useState('');
  const [query, setQuery] = useState<Query>({ search: '', page: 1, turn: 0 });
  useEffect(() => {
    if (search === query.search) return undefined;
    const timer = setTimeout(() => setQuery(({ turn }) => ({ search, page: 1, turn })), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [search, query.search]);
  useEffect(() => {
    const superseded = new AbortController();
    accounts
      .list(query, superseded.signal)
      .then((list) => (superseded.signal.aborted ? undefined : setState({ status: 'ready', list })))
      .catch((error: unknown) => {
        if (!superseded.signal.aborted) setState({ status: 'failed', problem: getAccountsProblem(error) });
      });
    return () => superseded.abort();
  }, [accounts, query]);
  const setPage = useCallback((page: number) => setQuery((before) => ({ ...before, page })), []);
  const reload = useCallback(() => {
    setState((before) => (before.status === 'failed' ? { status: 'loading' } : before));
    setQuery((before) => ({ ...before, turn: before.turn + 1 }));
  }, []);
  return { state, search, setSearch, setPage, reload, accounts };
}

export function getAccountsProblem(error: unknown): AccountsProblem {
  return error instanceof AccountsError ? error.problem : 'internal_error';
}
