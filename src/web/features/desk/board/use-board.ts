import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { DeskItem, DeskState } from '#contract/desk.ts';
import { deskProblemOf } from '#web/backend/desk-error.ts';
import { filterOf } from '../desk-url.ts';
import { isSpent, type Listing } from '../listing.ts';
import { useDesk } from '../use-desk.ts';
import { useNews, type News } from '../use-news.ts';
import { columnSearch, columnsOf, EMPTY_BOARD, nextBoard, type Board, type BoardEvent } from './board.ts';

const CARDS = 30;

export type UseBoard = Readonly<{
  board: Board;
  tell: (event: BoardEvent) => void;
  /** Nobody answers at the moment. */
  away: boolean;
  more: (state: DeskState) => void;
  /** Every column of the filter anew. */
  again: () => void;
}>;

/** The columns of a filter, given as the search part of an address. */
export function useBoard(search: string): UseBoard {
  const desk = useDesk();
  const [board, tell] = useReducer(nextBoard, EMPTY_BOARD);
  const latest = useRef(board);
  const asked = useRef<AbortController>(undefined);
  useEffect(() => {
    latest.current = board;
  }, [board]);
  const load = useCallback(
    (state: DeskState, after: string | undefined, signal: AbortSignal): void => {
      const column = columnSearch(search, state);
      const say = (event: Parameters<typeof tellColumn>[2]) =>
        signal.aborted ? undefined : tellColumn(tell, state, event);
      say({ type: after === undefined ? 'asked' : 'more-asked' });
      desk.inbox({ ...filterOf(column), limit: CARDS, ...(after !== undefined && { after }) }, signal).then(
        (page) => say(after === undefined ? { type: 'page', page, of: column } : { type: 'more', page }),
        (error: unknown) => say({ type: 'failed', problem: deskProblemOf(error) }),
      );
    },
    [desk, search],
  );
  const again = useCallback(() => {
    asked.current?.abort();
    const superseded = new AbortController();
    asked.current = superseded;
    for (const state of columnsOf(search)) load(state, undefined, superseded.signal);
  }, [load, search]);
  useEffect(() => {
    again();
    return () => asked.current?.abort();
  }, [again]);
  const more = useCallback(
    (state: DeskState) => {
      const column = latest.current[state];
      const signal = asked.current?.signal;
      if (signal === undefined || column.status !== 'ready' || column.busy !== 'no' || column.next === null) return;
      load(state, column.next, signal);
    },
    [load],
  );
  useEffect(() => {
    for (const state of columnsOf(search)) if (isSpent(board[state])) more(state);
  }, [board, more, search]);
  const onNews = useCallback((news: News) => tell({ type: 'news', ...news, of: search }), [search]);
  const shown = columnsOf(search).flatMap((state) => itemsOf(board[state]).map(({ id }) => id));
  const away = useNews(search, shown, onNews);
  return { board, tell, away, more, again };
}

function tellColumn(
  tell: (event: BoardEvent) => void,
  state: DeskState,
  event: Extract<BoardEvent, { type: 'column' }>['event'],
): void {
  tell({ type: 'column', state, event });
}

/** What a column shows, if it is there. */
export function itemsOf(column: Listing): readonly DeskItem[] {
  return column.status === 'ready' ? column.items : [];
}

/** How many came in since the columns were asked for: whatever is new begins in the first one. */
export function freshOn({ new: column }: Board): number {
  return column.status === 'ready' ? column.fresh : 0;
}
