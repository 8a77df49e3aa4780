import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { DeskItem, DeskPage, DeskQuery } from '#contract/desk.ts';
import { getDeskProblem, isRefusal } from '#web/backend/desk.ts';
import { POLLING, POLLING_MS } from '#web/backend/server-state.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { useToast } from '#web/ui/toast.tsx';
import { parseFilter } from './desk-url.ts';
import { getItems, isLoading, type Listing, type ListUpdate, sortOut } from './listing.ts';
import { deskTexts as texts } from './texts.ts';
import { useDesk } from './use-desk.tsx';
import { MOST } from './use-listing.ts';

/** Rows that one update requests; a full page of new ones is shown as '50+'. */
export const MAX_NEW_ITEMS = 50;
/** The server checks at most this many ids for erasures. */
const MAX_WATCHED = 10_000;
/** The server forgets erased ids after an hour, so the list is compared at least this often. */
const FULL_CHECK_MS = 30 * 60_000;

/** The change token of the last comparison, and when the newest of the changes was made that it knew. */
type Seen = Readonly<{ token: string; at: number; changedAt: string | undefined }>;

const NEVER: Seen = { token: '', at: 0, changedAt: undefined };

/**
 * Polls the change token. When it differs, loads the newest rows of the filter, what was changed since, and the erased
 * ids among the shown ones, and announces which rows go. Returns whether the last request failed. A comparison draws
 * the screen again, and a new day brings one: rows of today show the time alone.
 */
export function useListUpdates(
  search: string,
  listings: readonly Listing[],
  onUpdate: (update: ListUpdate) => void,
): boolean {
  const desk = useDesk();
  const toast = useToast();
  const client = useQueryClient();
  const shown = useRef(listings);
  useEffect(() => void (shown.current = listings));
  const compare = async (seen: Seen, signal: AbortSignal): Promise<Seen> => {
    // Rows on their way may be older than what a comparison finds, and until they come those of another filter stand.
    if (shown.current.some(isLoading)) return seen;
    const token = await desk.changeToken(signal);
    const at = Date.now();
    const isSameDay = new Date(seen.at).toDateString() === new Date(at).toDateString();
    if (token === seen.token && isSameDay && at - seen.at < FULL_CHECK_MS) return seen;
    const items = shown.current.flatMap(getItems);
    const compared = { search, shown: items, since: seen.changedAt ?? findLastChange(items) };
    const update = await loadUpdate(desk, compared, signal);
    if (signal.aborted || shown.current.some(isLoading)) return seen;
    const going = describeGoing(search, shown.current.flatMap(getItems), update);
    onUpdate(update);
    for (const title of going) toast({ title });
    return { token, at, changedAt: update.changed[0]?.changedAt };
  };
  const queryKey = ['desk', 'updates', search];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const seen = client.getQueryData<Seen>(queryKey) ?? NEVER;
      return compare(seen, signal).catch(stayAfterRefusal(seen));
    },
    // The list has just been loaded.
    initialData: NEVER,
    staleTime: POLLING_MS,
    ...POLLING,
    notifyOnChangeProps: ['isError', 'data'],
  }).isError;
}

/** The last change that a long list knows, which has perhaps been left for a while; others have just been loaded. */
function findLastChange(items: readonly DeskItem[]): string | undefined {
  if (items.length <= MOST) return undefined;
  return items.map(({ changedAt }) => changedAt).reduce((last, one) => (one > last ? one : last));
}

/** A refusal is an answer, so it does not count as a lost connection. */
function stayAfterRefusal(seen: Seen): (error: unknown) => Seen {
  return (error) => {
    if (isRefusal(getDeskProblem(error))) return seen;
    throw error;
  };
}

function describeGoing(search: string, shown: readonly DeskItem[], update: ListUpdate): readonly string[] {
  const { length: erased } = update.erasedIds;
  const { length: left } = sortOut(search, shown, update).left;
  return [
    ...(erased > 0 ? [texts.erasedItems(formatNumber(erased))] : []),
    ...(left > 0 ? [texts.leftItems(formatNumber(left))] : []),
  ];
}

type Desk = ReturnType<typeof useDesk>;
type Compared = Readonly<{ search: string; shown: readonly DeskItem[]; since: string | undefined }>;

async function loadUpdate(desk: Desk, compared: Compared, signal: AbortSignal): Promise<ListUpdate> {
  const { search, shown, since } = compared;
  const ids = shown.slice(0, MAX_WATCHED).map(({ id }) => id);
  const [page, changed, erasedIds] = await Promise.all([
    desk.inbox({ ...parseFilter(search), sort: 'newest', limit: MAX_NEW_ITEMS }, signal),
    loadChanged(desk, since, signal),
    ids.length === 0 ? [] : desk.findErased(ids, signal),
  ]);
  return { page, changed, erasedIds };
}

const CHANGED_PAGE = 50;
/** Past 500 changes between two comparisons the older ones wait for the list's next load. */
const MAX_CHANGED_PAGES = 10;
/** A change is seen when it commits, which may be later than the time that it carries. */
const COMMIT_MS = 60_000;

/** The last changes without any filter, newest first, at least back to `since`; without it one page of them. */
async function loadChanged(desk: Desk, since: string | undefined, signal: AbortSignal): Promise<readonly DeskItem[]> {
  const changed: DeskItem[] = [];
  const isKnown = ({ changedAt }: DeskItem): boolean =>
    since === undefined || Date.parse(changedAt) < Date.parse(since) - COMMIT_MS;
  let after: string | null = null;
  for (let pages = 0; pages < MAX_CHANGED_PAGES; pages += 1) {
    const query: DeskQuery = { sort: 'changed', limit: CHANGED_PAGE, ...(after !== null && { after }) };
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the last one ended
    const page: DeskPage = await desk.inbox(query, signal);
    changed.push(...page.items);
    after = page.next;
    if (after === null || page.items.some(isKnown)) break;
  }
  return changed;
}
