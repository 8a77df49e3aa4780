import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { DeskPage, DeskQuery } from '#contract/desk.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { parseFilter } from './desk-url.ts';
import { appendPage, isExhausted, type Listing, type Rows, toRows } from './listing.ts';
import { useDesk } from './use-desk.tsx';

/** Rows of a page of the inbox. */
export const INBOX_PAGE = 50;
/** Rows that one request answers at most; a longer list is not loaded again by itself. */
export const MOST = 200;
/** A list outlives its screen, so that the way back from a contribution finds it. */
const CACHE_MS = 10 * 60_000;

export const getRowsKey = (search: string, pageSize: number) => ['desk', 'rows', search, pageSize] as const;
type RowsKey = ReturnType<typeof getRowsKey>;

type ListingOptions = Readonly<{
  /** Search part of the address. */
  search: string;
  pageSize: number;
  /** Whether a cached list is requested again. */
  refresh: 'on-entry' | 'never';
  enabled?: boolean;
}>;

export type UseListing = Readonly<{
  listing: Listing;
  /** Changes the loaded rows without a request. */
  change: (apply: (rows: Rows) => Rows) => void;
  more: () => void;
  reload: () => void;
}>;

/** Loads the list of a filter. A cached list is shown at once; the rows of another filter stay until then. */
export function useListing({ search, pageSize, refresh, enabled = true }: ListingOptions): UseListing {
  const desk = useDesk();
  const client = useQueryClient();
  const queryKey = useMemo(() => getRowsKey(search, pageSize), [search, pageSize]);
  const filter = { ...parseFilter(search), limit: pageSize } satisfies DeskQuery;
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      // As many rows as were shown, so that nothing jumps.
      const limit = Math.max(pageSize, countItems(client.getQueryData<Rows>(queryKey)));
      return toRows(await desk.inbox({ ...filter, limit: Math.min(limit, MOST) }, signal), search);
    },
    enabled,
    placeholderData: keepPreviousData,
    gcTime: CACHE_MS,
    staleTime: ({ state }) => (refresh === 'never' || countItems(state.data) > MOST ? Infinity : 0),
  });
  const change = useChange(client, queryKey);
  const { run, reset, ...paging } = useAction({
    mutationFn: ({ after }: Readonly<{ search: string; after: string }>) => loadPage(desk, filter, after),
    // By now the screen may show another filter.
    onSuccess: (pages, asked) => addPage(client, getRowsKey(asked.search, pageSize), pages, asked.after),
  });
  const after = query.data?.search === search ? query.data.next : null;
  const { refetch } = query;
  const more = (): void => {
    if (after !== null && !query.isFetching) void run({ search, after });
  };
  const reload = (): void => {
    reset();
    void refetch();
  };
  const listing = toListing(query, paging.input?.search === search ? paging : NO_PAGING);
  const exhausted = isExhausted(listing);
  useEffect(() => {
    if (exhausted) more();
  });
  return { listing, change, more, reload };
}

type Pages = Readonly<{ page: DeskPage; first: DeskPage | undefined }>;

/** By time of change the first page comes too: what changed meanwhile has moved there from a later one. */
async function loadPage(desk: ReturnType<typeof useDesk>, filter: DeskQuery, after: string): Promise<Pages> {
  const { signal } = new AbortController();
  const page = await desk.inbox({ ...filter, after }, signal);
  return { page, first: filter.sort === 'changed' ? await desk.inbox(filter, signal) : undefined };
}

function addPage(client: QueryClient, queryKey: RowsKey, { page, first }: Pages, after: string): void {
  client.setQueryData<Rows>(queryKey, (rows) => (rows?.next === after ? appendPage(rows, page, first?.items) : rows));
}

function countItems(rows: Rows | undefined): number {
  return rows?.items.length ?? 0;
}

function useChange(client: QueryClient, queryKey: RowsKey): UseListing['change'] {
  return useCallback(
    (apply) => {
      client.setQueryData<Rows>(queryKey, (rows) => (rows === undefined ? undefined : apply(rows)));
    },
    [client, queryKey],
  );
}

type Paging = Readonly<{ busy: boolean; error: Error | null }>;

const NO_PAGING: Paging = { busy: false, error: null };

type RowsQuery = Readonly<{ data: Rows | undefined; error: Error | null; isFetching: boolean }>;

function toListing({ data, error, isFetching }: RowsQuery, paging: Paging): Listing {
  if (data === undefined) {
    return error === null ? { status: 'loading' } : { status: 'failed', problem: getDeskProblem(error) };
  }
  const busy = paging.busy ? 'more' : isFetching ? 'reloading' : 'no';
  const failure = busy === 'no' ? (paging.error ?? error) : null;
  return { ...data, status: 'ready', busy, problem: failure === null ? undefined : getDeskProblem(failure) };
}
