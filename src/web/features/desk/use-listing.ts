import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { getDeskProblem } from '#web/backend/desk-error.ts';
import { useUser } from '#web/backend/session.ts';
import { parseFilter } from './desk-url.ts';
import { cacheListing, getCachedListing } from './listing-cache.ts';
import { isExhausted, LOADING_LISTING, reduceListing, type Listing, type ListingEvent } from './listing.ts';
import { useDesk } from './use-desk.ts';

const PAGE = 50;
const MOST = 200;

export type UseListing = Readonly<{
  listing: Listing;
  dispatch: (event: ListingEvent) => void;
  more: () => void;
  reload: () => void;
}>;

/**
 * Loads the list of a filter (`search`: search part of the address). A cached list is shown at once; `refresh` says
 * whether it is requested again.
 */
export function useListing(search: string, refresh: 'on-entry' | 'never'): UseListing {
  const desk = useDesk();
  const owner = useUser()?.id ?? '';
  const [listing, dispatch] = useReducer(
    reduceListing,
    undefined,
    () => getCachedListing(owner, search)?.listing ?? LOADING_LISTING,
  );
  const [request, setRequest] = useState({ search, turn: 0 });
  const latest = useRef(listing);
  const more = useRef<AbortController>(undefined);
  if (request.search !== search) setRequest({ search, turn: 0 });
  useEffect(() => {
    latest.current = listing;
    if (listing.status === 'ready') cacheListing(owner, { ...listing, busy: 'no' });
  }, [listing, owner]);
  useEffect(() => {
    const limit = firstLimit(getCachedListing(owner, request.search)?.listing, request.turn > 0 ? 'on-entry' : refresh);
    if (limit === undefined) return undefined;
    more.current?.abort();
    const superseded = new AbortController();
    dispatch({ type: 'requested' });
    desk.inbox({ ...parseFilter(request.search), limit }, superseded.signal).then(
      (page) => (superseded.signal.aborted ? undefined : dispatch({ type: 'page', page, search: request.search })),
      (error: unknown) =>
        superseded.signal.aborted ? undefined : dispatch({ type: 'failed', problem: getDeskProblem(error) }),
    );
    return () => superseded.abort();
  }, [desk, owner, refresh, request]);
  useEffect(() => () => more.current?.abort(), []);

  const loadMore = useCallback(() => {
    const before = latest.current;
    if (before.status !== 'ready' || before.busy !== 'no' || before.next === null) return;
    const mine = new AbortController();
    more.current = mine;
    dispatch({ type: 'more-requested' });
    desk.inbox({ ...parseFilter(search), limit: PAGE, after: before.next }, mine.signal).then(
      (page) => (mine.signal.aborted ? undefined : dispatch({ type: 'more', page })),
      (error: unknown) =>
        mine.signal.aborted ? undefined : dispatch({ type: 'failed', problem: getDeskProblem(error) }),
    );
  }, [desk, search]);
  useEffect(() => {
    if (isExhausted(listing)) loadMore();
  }, [listing, loadMore]);
  const reload = useCallback(() => setRequest(({ turn }) => ({ search, turn: turn + 1 })), [search]);
  return { listing, dispatch, more: loadMore, reload };
}

/** Requests as many rows as were shown, so that nothing jumps; undefined keeps the cached list. */
function firstLimit(kept: Listing | undefined, refresh: 'on-entry' | 'never'): number | undefined {
  if (kept?.status !== 'ready') return PAGE;
  if (refresh === 'never' || kept.items.length > MOST) return undefined;
  return Math.max(PAGE, kept.items.length);
}
