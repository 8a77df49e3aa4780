import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { useUser } from '#web/backend/session.ts';
import { deskProblemOf } from '#web/backend/desk-error.ts';
import { filterOf } from './desk-url.ts';
import { keepListing, keptListing } from './kept-listing.ts';
import { isSpent, nextListing, NOTHING_YET, type Listing, type ListingEvent } from './listing.ts';
import { useDesk } from './use-desk.ts';

const PAGE = 50;
const MOST = 200;

export type UseListing = Readonly<{
  listing: Listing;
  tell: (event: ListingEvent) => void;
  more: () => void;
  again: () => void;
}>;

/**
 * The list of a filter, given as the search part of an address. One that was seen before is there at once; `refresh`
 * says whether it is asked for again all the same.
 */
export function useListing(search: string, refresh: 'on-entry' | 'never'): UseListing {
  const desk = useDesk();
  const owner = useUser()?.id ?? '';
  const [listing, tell] = useReducer(nextListing, undefined, () => keptListing(owner, search)?.listing ?? NOTHING_YET);
  const [wish, setWish] = useState({ search, turn: 0 });
  const latest = useRef(listing);
  const more = useRef<AbortController>(undefined);
  if (wish.search !== search) setWish({ search, turn: 0 });
  useEffect(() => {
    latest.current = listing;
    if (listing.status === 'ready') keepListing(owner, { ...listing, busy: 'no' });
  }, [listing, owner]);
  useEffect(() => {
    const limit = firstLimit(keptListing(owner, wish.search)?.listing, wish.turn > 0 ? 'on-entry' : refresh);
    if (limit === undefined) return undefined;
    more.current?.abort();
    const superseded = new AbortController();
    tell({ type: 'asked' });
    desk.inbox({ ...filterOf(wish.search), limit }, superseded.signal).then(
      (page) => (superseded.signal.aborted ? undefined : tell({ type: 'page', page, of: wish.search })),
      (error: unknown) =>
        superseded.signal.aborted ? undefined : tell({ type: 'failed', problem: deskProblemOf(error) }),
    );
    return () => superseded.abort();
  }, [desk, owner, refresh, wish]);
  useEffect(() => () => more.current?.abort(), []);

  const loadMore = useCallback(() => {
    const before = latest.current;
    if (before.status !== 'ready' || before.busy !== 'no' || before.next === null) return;
    const mine = new AbortController();
    more.current = mine;
    tell({ type: 'more-asked' });
    desk.inbox({ ...filterOf(search), limit: PAGE, after: before.next }, mine.signal).then(
      (page) => (mine.signal.aborted ? undefined : tell({ type: 'more', page })),
      (error: unknown) => (mine.signal.aborted ? undefined : tell({ type: 'failed', problem: deskProblemOf(error) })),
    );
  }, [desk, search]);
  useEffect(() => {
    if (isSpent(listing)) loadMore();
  }, [listing, loadMore]);
  const again = useCallback(() => setWish(({ turn }) => ({ search, turn: turn + 1 })), [search]);
  return { listing, tell, more: loadMore, again };
}

/** As many rows as were shown, so that nothing jumps; none where the kept list is to stay as it is. */
function firstLimit(kept: Listing | undefined, refresh: 'on-entry' | 'never'): number | undefined {
  if (kept?.status !== 'ready') return PAGE;
  if (refresh === 'never' || kept.items.length > MOST) return undefined;
  return Math.max(PAGE, kept.items.length);
}
