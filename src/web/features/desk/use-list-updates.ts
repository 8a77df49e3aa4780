import { useCallback, useEffect, useRef } from 'react';
import type { DeskPage } from '#contract/desk.ts';
import { getDeskProblem, isRefusal } from '#web/backend/desk-error.ts';
import { formatNumber } from '#web/ui/format.ts';
import { useToast } from '#web/ui/toast.tsx';
import { parseFilter } from './desk-url.ts';
import { usePolling } from './polling.ts';
import { deskTexts as texts } from './texts.ts';
import { useDesk } from './use-desk.ts';

/** As many rows as one look asks for: so many new ones are 'so many or more'. */
export const MAX_NEW_ITEMS = 50;
/** The rows that are looked after. */
const MAX_WATCHED = 10_000;
/** What was erased is forgotten after an hour: whoever was away for longer would find everything as it was. */
const FULL_CHECK_MS = 30 * 60_000;

/** The newest rows of a filter as they are now, and which of the shown ones are erased. */
export type ListUpdate = Readonly<{ page: DeskPage; erasedIds: readonly number[] }>;

/**
 * Looks by itself whether anything changed, and only then for the newest rows of the filter and for what is gone of the
 * rows that are `shown`, which is told. Gives whether nobody answers at the moment. `onUpdate` must be the same
 * function as long as the filter is the same.
 */
export function useListUpdates(
  search: string,
  shown: readonly number[],
  onUpdate: (update: ListUpdate) => void,
): boolean {
  const desk = useDesk();
  const toast = useToast();
  const seen = useRef({ token: '', at: 0 });
  const ids = useRef(shown);
  useEffect(() => {
    ids.current = shown;
  });
  const ask = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const token = `${await desk.changeToken(signal)} ${search}`;
      const at = Date.now();
      if (token === seen.current.token && at - seen.current.at < FULL_CHECK_MS) return;
      const [page, erasedIds] = await Promise.all([
        desk.inbox({ ...parseFilter(search), sort: 'newest', limit: MAX_NEW_ITEMS }, signal),
        ids.current.length === 0 ? [] : desk.findErased(ids.current.slice(0, MAX_WATCHED), signal),
      ]);
      if (signal.aborted) return;
      seen.current = { token, at };
      onUpdate({ page, erasedIds });
      if (erasedIds.length > 0) toast({ title: texts.erasedItems(formatNumber(erasedIds.length)) });
    },
    [desk, onUpdate, search, toast],
  );
  return usePolling(useCallback((signal) => ask(signal).catch(ignoreRefusal), [ask]));
}

/** Without rights there is an answer: whoever asked is led away, and no connection is missing. */
function ignoreRefusal(error: unknown): void {
  if (!isRefusal(getDeskProblem(error))) throw error;
}
