import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type RefCallback } from 'react';
import { DESK_STATES, type DeskContribution, type DeskItem, type DeskState } from '#contract/desk.ts';
import { findCardBeside, parseArrow, type FocusGrid } from '../focus-grid.ts';
import { toDeskItem } from '../listing.ts';
import { stateChangeTexts } from '../state-change/texts.ts';
import { useStateChange, type StateChange } from '../state-change/use-state-change.ts';
import { deskTexts } from '../texts.ts';
import { useItemLinks } from '../use-item-links.ts';
import { findColumn, placeCard, removeCard } from './board.ts';
import type { UseBoard } from './use-board.ts';

type BoardMoves = Readonly<{
  changes: StateChange;
  /** Announces a move to screen readers. */
  announcement: string;
  move: (item: DeskItem, state: DeskState) => void;
  /** Arrow keys move the focus, with Shift they move the card. */
  onKey: (event: KeyboardEvent, item: DeskItem) => void;
}>;

type BoardMovesOptions = Readonly<{ grid: FocusGrid; cards: CardFocus; change: UseBoard['change'] }>;

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 0, ArrowDown: 0 } as const;

/** Moves cards by key, menu and drag. */
export function useBoardMoves({ grid, cards, change }: BoardMovesOptions): BoardMoves {
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
    if (item.state !== state) changes.begin(item, state);
  };
  const onKey = (event: KeyboardEvent, item: DeskItem): void => {
    const arrow = parseArrow(event.key);
    if (arrow === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.shiftKey) return cards.focus(findCardBeside(grid, item.id, arrow));
    const beside = DESK_STATES[DESK_STATES.indexOf(item.state) + STEPS[arrow]];
    if (beside !== undefined) move(item, beside);
  };
  return { changes, announcement, move, onKey };
}

type CardFocus = Readonly<{
  getLinkRef: (id: number) => RefCallback<HTMLAnchorElement>;
  /** Does nothing for an unknown card. */
  focus: (id: number | undefined) => void;
  /** Id of the focused card. */
  focused: () => number | undefined;
  /** Focuses the card as soon as it is in its new column. */
  focusWhenMoved: (id: number) => void;
}>;

/** Keeps the focus on a card that changes its column. */
export function useCardFocus(grid: FocusGrid): CardFocus {
  const { getLinkRef, link, focused } = useItemLinks(grid);
  const moved = useRef<Readonly<{ id: number; from: HTMLElement | undefined }>>(undefined);
  useEffect(() => {
    const card = link(moved.current?.id);
    if (card === undefined || card === moved.current?.from) return;
    card.focus();
    moved.current = undefined;
  });
  const focus = useCallback((id: number | undefined) => link(id)?.focus(), [link]);
  const focusWhenMoved = useCallback(
    (id: number) => {
      moved.current = { id, from: link(id) };
    },
    [link],
  );
  return { getLinkRef, focus, focused, focusWhenMoved };
}
