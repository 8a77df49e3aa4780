import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { DeskItem, DeskState } from '#contract/desk.ts';
import { getDeskProblem } from '#web/backend/desk-error.ts';
import { parseFilter } from '../desk-url.ts';
import { isExhausted, type Listing } from '../listing.ts';
import { useDesk } from '../use-desk.ts';
import { useListUpdates, type ListUpdate } from '../use-list-updates.ts';
import { EMPTY_BOARD, formatColumnFilter, getColumns, reduceBoard, type Board, type BoardEvent } from './board.ts';

const CARDS = 30;

export type UseBoard = Readonly<{
  board: Board;
  dispatch: (event: BoardEvent) => void;
  /** The last request for changes failed. */
  away: boolean;
  more: (state: DeskState) => void;
  /** Requests every column of the filter again. */
  reload: () => void;
}>;

/** Loads the columns of a filter and keeps them up to date. `search`: search part of the address. */
export function useBoard(search: string): UseBoard {
  const desk = useDesk();
  const [board, dispatch] = useReducer(reduceBoard, EMPTY_BOARD);
  const latest = useRef(board);
  const asked = useRef<AbortController>(undefined);
  useEffect(() => {
    latest.current = board;
  }, [board]);
  const load = useCallback(
    (state: DeskState, after: string | undefined, signal: AbortSignal): void => {
      const column = formatColumnFilter(search, state);
      const say = (event: Parameters<typeof tellColumn>[2]) =>
        signal.aborted ? undefined : tellColumn(dispatch, state, event);
      say({ type: after === undefined ? 'requested' : 'more-requested' });
      desk.inbox({ ...parseFilter(column), limit: CARDS, ...(after !== undefined && { after }) }, signal).then(
        (page) => say(after === undefined ? { type: 'page', page, search: column } : { type: 'more', page }),
        (error: unknown) => say({ type: 'failed', problem: getDeskProblem(error) }),
      );
    },
    [desk, search],
  );
  const reload = useCallback(() => {
    asked.current?.abort();
    const superseded = new AbortController();
    asked.current = superseded;
    for (const state of getColumns(search)) load(state, undefined, superseded.signal);
  }, [load, search]);
  useEffect(() => {
    reload();
    return () => asked.current?.abort();
  }, [reload]);
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
    for (const state of getColumns(search)) if (isExhausted(board[state])) more(state);
  }, [board, more, search]);
  const onUpdate = useCallback((news: ListUpdate) => dispatch({ type: 'update', ...news, search }), [search]);
  const shown = getColumns(search).flatMap((state) => getItems(board[state]).map(({ id }) => id));
  const away = useListUpdates(search, shown, onUpdate);
  return { board, dispatch, away, more, reload };
}

function tellColumn(
  dispatch: (event: BoardEvent) => void,
  state: DeskState,
  event: Extract<BoardEvent, { type: 'column' }>['event'],
): void {
  dispatch({ type: 'column', state, event });
}

/** The items of a loaded column. */
export function getItems(column: Listing): readonly DeskItem[] {
  return column.status === 'ready' ? column.items : [];
}

/** Counts the items that came in since the columns were loaded. New items always enter the first column. */
export function countNewItems({ new: column }: Board): number {
  return column.status === 'ready' ? column.newCount : 0;
}
