import { useEffect, useRef } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getDeskProblem, isRefusal } from '#web/backend/desk.ts';
import { formatNumber } from '#web/ui/format.ts';
import { useToast } from '#web/ui/toast.tsx';
import { parseFilter } from './desk-url.ts';
import type { ListUpdate } from './listing.ts';
import { POLLING, POLLING_MS } from '#web/backend/polling.ts';
import { deskTexts as texts } from './texts.ts';
import { useDesk } from './use-desk.ts';

/** Rows that one update requests; a full page of new ones is shown as '50+'. */
export const MAX_NEW_ITEMS = 50;
/** The server checks at most this many ids for erasures. */
const MAX_WATCHED = 10_000;
/** The server forgets erased ids after an hour, so the list is compared at least this often. */
const FULL_CHECK_MS = 30 * 60_000;

/** The change token of the last comparison. */
type Seen = Readonly<{ token: string; at: number }>;

const NEVER: Seen = { token: '', at: 0 };

/**
 * Polls the change token. When it differs, loads the newest rows of the filter and the erased ids among `shown`, and
 * announces erasures. Returns whether the last request failed.
 */
export function useListUpdates(
  search: string,
  shown: readonly number[],
  onUpdate: (update: ListUpdate) => void,
): boolean {
  const desk = useDesk();
  const toast = useToast();
  const client = useQueryClient();
  const ids = useRef(shown);
  useEffect(() => {
    ids.current = shown;
  });
  const compare = async (seen: Seen, signal: AbortSignal): Promise<Seen> => {
    const token = await desk.changeToken(signal);
    const at = Date.now();
    if (token === seen.token && at - seen.at < FULL_CHECK_MS) return seen;
    const update = await loadUpdate(desk, search, ids.current, signal);
    if (signal.aborted) return seen;
    onUpdate(update);
    const { length: erased } = update.erasedIds;
    if (erased > 0) toast({ title: texts.erasedItems(formatNumber(erased)) });
    return { token, at };
  };
  const queryKey = ['desk', 'updates', search];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const seen = client.getQueryData<Seen>(queryKey) ?? NEVER;
      return compare(seen, signal).catch((error: unknown) => {
        // A refusal is an answer, so it does not count as a lost connection.
        if (isRefusal(getDeskProblem(error))) return seen;
        throw error;
      });
    },
    // The list has just been loaded.
    initialData: NEVER,
    staleTime: POLLING_MS,
    ...POLLING,
  }).isError;
}

async function loadUpdate(
  desk: ReturnType<typeof useDesk>,
  search: string,
  shown: readonly number[],
  signal: AbortSignal,
): Promise<ListUpdate> {
  const [page, erasedIds] = await Promise.all([
    desk.inbox({ ...parseFilter(search), sort: 'newest', limit: MAX_NEW_ITEMS }, signal),
    shown.length === 0 ? [] : desk.findErased(shown.slice(0, MAX_WATCHED), signal),
  ]);
  return { page, erasedIds };
}
