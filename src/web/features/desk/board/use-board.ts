import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { DESK_STATES, type DeskContribution, type DeskItem, type DeskState } from '#contract/desk.ts';
import { isFocusLost } from '#web/ui/use-focus.ts';
import { type Rows, toDeskItem } from '../listing.ts';
import { useStateChange } from '../state-change/use-state-change.ts';
import { deskTexts, stateChangeTexts } from '../texts.ts';
import { findCardBeside, type FocusGrid, hasFocus, parseArrow, useItemLinks } from '../use-item-links.ts';
import { useListUpdates } from '../use-list-updates.ts';
import { getRowsKey, useListing, type UseListing } from '../use-listing.ts';
import { type Board, findColumn, formatColumnFilter, getColumns, placeCard, removeCard, updateBoard } from './board.ts';

const CARDS = 30;

/** Loads the columns of a filter and keeps them up to date. `search`: search part of the address. */
export function useBoard(search: string) {
  const client = useQueryClient();
  const columns = {
    new: useColumn(search, 'new'),
    in_progress: useColumn(search, 'in_progress'),
    for_review: useColumn(search, 'for_review'),
    published: useColumn(search, 'published'),
    rejected: useColumn(search, 'rejected'),
  };
  /** Changes the loaded cards without a request. */
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
  const listings = chosen.map((state) => columns[state].listing);
  const away = useListUpdates(search, listings, (update) => change((board) => updateBoard(board, update)));
  const reload = (): void => chosen.forEach((state) => columns[state].reload());
  const { listing: first } = columns.new;
  // What came in since the columns were loaded enters the first one.
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

type BoardMovesOptions = Readonly<{
  grid: FocusGrid;
  cards: ReturnType<typeof useCardFocus>;
  change: ReturnType<typeof useBoard>['change'];
}>;

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 0, ArrowDown: 0 } as const;

/** Moves cards by key, menu and drag. */
export function useBoardMoves({ grid, cards, change }: BoardMovesOptions) {
  const [announcement, setAnnouncement] = useState('');
  const onChanged = (contribution: DeskContribution): void => {
    const item = toDeskItem(contribution);
    change((board) => {
      if (findColumn(board, item.id) !== item.state) cards.focusWhenMoved(item.id);
      return placeCard(board, item);
    });
    setAnnouncement(stateChangeTexts.moved(deskTexts.formatName(item.contributor), deskTexts.states[item.state]));
  };
  const changes = useStateChange({ onChanged, onMissing: (id) => change((board) => removeCard(board, id)) });
  const move = (item: DeskItem, state: DeskState): void => {
    if (item.state !== state) changes.begin(item, { state });
  };
  const onKey = (event: KeyboardEvent, item: DeskItem): void => {
    const arrow = parseArrow(event.key);
    if (arrow === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.shiftKey) return cards.focus(findCardBeside(grid, item.id, arrow));
    const beside = DESK_STATES[DESK_STATES.indexOf(item.state) + STEPS[arrow]];
    if (beside !== undefined) move(item, beside);
  };
  return {
    changes,
    /** Announces a move to screen readers. */
    announcement,
    move,
    /** Arrow keys move the focus, with Shift they move the card. */
    onKey,
  };
}

/** Keeps the focus on a card that changes its column. */
export function useCardFocus(grid: FocusGrid) {
  const { getLinkRef, link, focused, moreButton } = useItemLinks(grid);
  const moved = useRef<Readonly<{ id: number; from: HTMLElement | undefined }>>(undefined);
  useEffect(() => {
    const card = link(moved.current?.id);
    if (card === undefined || card === moved.current?.from) return;
    card.focus();
    moved.current = undefined;
  });
  const focus = useCallback((id: number | undefined) => link(id)?.focus(), [link]);
  /** Focuses the card as soon as it is in its new column, unless the focus has gone somewhere else meanwhile. */
  const focusWhenMoved = useCallback(
    (id: number) => {
      const from = link(id);
      if (!isFocusElsewhere(from)) moved.current = { id, from };
    },
    [link],
  );
  return { getLinkRef, focus, focused, focusWhenMoved, moreButton };
}

/** The focus within a dialog does not count: the dialog may be the one that asks about the move. */
function isFocusElsewhere(card: HTMLElement | undefined): boolean {
  if (isFocusLost() || (card !== undefined && hasFocus(card))) return false;
  return document.activeElement?.closest('[role="dialog"]') === null;
}
