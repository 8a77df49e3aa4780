import { useCallback, useEffect, useRef } from 'react';
import type { DeskPage } from '#contract/desk.ts';
import { getDeskProblem, isRefusal } from '#web/backend/desk-error.ts';
import { formatNumber } from '#web/ui/format.ts';
import { useToast } from '#web/ui/toast.tsx';
import { parseFilter } from './desk-url.ts';
import { usePolling } from './polling.ts';
import { deskTexts as texts } from './texts.ts';
import { useDesk } from './use-desk.ts';

/** Rows that one update requests; a full page of new ones is shown as '50+'. */
export const MAX_NEW_ITEMS = 50;
/** The server checks at most this many ids for erasures. */
const MAX_WATCHED = 10_000;
/** The server forgets erased ids after an hour, so the list is compared at least this often. */
const FULL_CHECK_MS = 30 * 60_000;

/** The newest rows of a filter, and which shown ones are erased. */
export type ListUpdate = Readonly<{ page: DeskPage; erasedIds: readonly number[] }>;

/**
 * Polls the change token. When it differs, loads the newest rows of the filter and the erased ids among `shown`, and
 * announces erasures. Returns whether the last request failed. `onUpdate` needs a stable identity for each filter.
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

/** A refusal is an answer, so it does not count as a lost connection. */
function ignoreRefusal(error: unknown): void {
  if (!isRefusal(getDeskProblem(error))) throw error;
}
