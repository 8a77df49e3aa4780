import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { DESK_STATES, type DeskItem, type DeskState } from '#contract/desk.ts';
import type { Listing, Rows } from '../listing.ts';
import { useListUpdates } from '../use-list-updates.ts';
import { getRowsKey, useListing, type UseListing } from '../use-listing.ts';
import { formatColumnFilter, getColumns, updateBoard, type Board } from './board.ts';

const CARDS = 30;

export type UseBoard = Readonly<{
  columns: Readonly<Record<DeskState, UseListing>>;
  /** Changes the loaded cards without a request. */
  change: (apply: (board: Board) => Board) => void;
  /** How many items came in since the columns were loaded; they enter the first one. */
  newCount: number;
  /** The last request for changes failed. */
  away: boolean;
  /** Requests every column of the filter again. */
  reload: () => void;
}>;

/** Loads the columns of a filter and keeps them up to date. `search`: search part of the address. */
export function useBoard(search: string): UseBoard {
  const client = useQueryClient();
  const columns = {
    new: useColumn(search, 'new'),
    in_progress: useColumn(search, 'in_progress'),
    for_review: useColumn(search, 'for_review'),
    published: useColumn(search, 'published'),
    rejected: useColumn(search, 'rejected'),
  };
  const change = useCallback(
    (apply: (board: Board) => Board): void => {
      const getKey = (state: DeskState) => getRowsKey(formatColumnFilter(search, state), CARDS);
      const loaded = getColumns(search).flatMap((state) => {
        const rows = client.getQueryData<Rows>(getKey(state));
        return rows === undefined ? [] : [[state, rows] as const];
      });
      const after = apply(Object.fromEntries(loaded));
      // A card leaves one column and enters another at the same moment.
      notifyManager.batch(() => {
        for (const state of DESK_STATES)
          if (after[state] !== undefined) client.setQueryData(getKey(state), after[state]);
      });
    },
    [client, search],
  );
  const chosen = getColumns(search);
  const shown = chosen.flatMap((state) => getItems(columns[state].listing).map(({ id }) => id));
  const away = useListUpdates(search, shown, (update) => change((board) => updateBoard(board, update)));
  const reload = (): void => chosen.forEach((state) => columns[state].reload());
  const { listing: first } = columns.new;
  const newCount = chosen.includes('new') && first.status === 'ready' ? first.newCount : 0;
  return { columns, change, newCount, away, reload };
}

function useColumn(search: string, state: DeskState): UseListing {
  const column = formatColumnFilter(search, state);
  return useListing({
    search: column,
    pageSize: CARDS,
    refresh: 'on-entry',
    enabled: getColumns(search).includes(state),
  });
}

/** The items of a loaded column. */
export function getItems(column: Listing): readonly DeskItem[] {
  return column.status === 'ready' ? column.items : [];
}
