import { useCallback, useEffect, useRef } from 'react';
import type { DeskPage } from '#contract/desk.ts';
import { deskProblemOf, isRefusal } from '#web/backend/desk-error.ts';
import { formatNumber } from '#web/ui/format.ts';
import { useToast } from '#web/ui/toast.tsx';
import { filterOf } from './desk-url.ts';
import { deskTexts as texts } from './texts.ts';
import { useDesk } from './use-desk.ts';
import { usePulse } from './use-pulse.ts';

/** As many rows as one look asks for: so many new ones are 'so many or more'. */
export const MOST_FRESH = 50;
/** The rows that are looked after. */
const MOST_SHOWN = 10_000;
/** What was erased is forgotten after an hour: whoever was away for longer would find everything as it was. */
const LOOK_ANYWAY_MS = 30 * 60_000;

/** The newest rows of a filter as they are now, and which of the shown ones are erased. */
export type News = Readonly<{ page: DeskPage; gone: readonly number[] }>;

/**
 * Looks by itself whether anything changed, and only then for the newest rows of the filter and for what is gone of the rows
 * that are `shown`, which is told. Gives whether nobody answers at the moment. `onNews` must be the same function as long as
 * the filter is the same.
 */
export function useNews(search: string, shown: readonly number[], onNews: (news: News) => void): boolean {
  const desk = useDesk();
  const toast = useToast();
  const seen = useRef({ state: '', at: 0 });
  const ids = useRef(shown);
  useEffect(() => {
    ids.current = shown;
  });
  const ask = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const state = `${await desk.pulse(signal)} ${search}`;
      const at = Date.now();
      if (state === seen.current.state && at - seen.current.at < LOOK_ANYWAY_MS) return;
      const [page, gone] = await Promise.all([
        desk.inbox({ ...filterOf(search), sort: 'newest', limit: MOST_FRESH }, signal),
        ids.current.length === 0 ? [] : desk.gone(ids.current.slice(0, MOST_SHOWN), signal),
      ]);
      if (signal.aborted) return;
      seen.current = { state, at };
      onNews({ page, gone });
      if (gone.length > 0) toast({ title: texts.gone(formatNumber(gone.length)) });
    },
    [desk, onNews, search, toast],
  );
  return usePulse(useCallback((signal) => ask(signal).catch(unlessRefused), [ask]));
}

/** Without rights there is an answer: whoever asked is led away, and no connection is missing. */
function unlessRefused(error: unknown): void {
  if (!isRefusal(deskProblemOf(error))) throw error;
}
