import { useCallback, useRef } from 'react';
import type { DeskPage } from '#contract/desk.ts';
import { deskProblemOf, isRefusal } from '#web/backend/desk-error.ts';
import { filterOf } from './desk-url.ts';
import { useDesk } from './use-desk.ts';
import { usePulse } from './use-pulse.ts';

/** As many rows as one look asks for: so many new ones are 'so many or more'. */
export const MOST_FRESH = 50;

/**
 * Looks by itself whether anything changed, and only then for the newest rows of the filter. Gives whether nobody answers
 * at the moment. `onNews` must be the same function as long as the filter is the same.
 */
export function useNews(search: string, onNews: (page: DeskPage) => void): boolean {
  const desk = useDesk();
  const seen = useRef('');
  const ask = useCallback(
    async (signal: AbortSignal): Promise<void> => {
      const pulse = await desk.pulse(signal);
      const state = `${pulse} ${search}`;
      if (state === seen.current) return;
      const page = await desk.inbox({ ...filterOf(search), sort: 'newest', limit: MOST_FRESH }, signal);
      if (signal.aborted) return;
      seen.current = state;
      onNews(page);
    },
    [desk, onNews, search],
  );
  return usePulse(useCallback((signal) => ask(signal).catch(unlessRefused), [ask]));
}

/** Without rights there is an answer: whoever asked is led away, and no connection is missing. */
function unlessRefused(error: unknown): void {
  if (!isRefusal(deskProblemOf(error))) throw error;
}
