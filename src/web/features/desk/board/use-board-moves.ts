import { useState, type KeyboardEvent } from 'react';
import { DESK_STATES, type DeskContribution, type DeskItem, type DeskState } from '#contract/desk.ts';
import { rowOf } from '../listing.ts';
import { stateChangeTexts } from '../state-change/texts.ts';
import { useStateChange, type StateChange } from '../state-change/use-state-change.ts';
import { deskTexts } from '../texts.ts';
import type { BoardEvent } from './board.ts';
import { arrowOf, cardAt, type CardGrid } from './card-grid.ts';
import type { CardFocus } from './use-card-focus.ts';

export type BoardMoves = Readonly<{
  changes: StateChange;
  /** For screen readers: what moved where. */
  said: string;
  move: (item: DeskItem, state: DeskState) => void;
  /** A key on a card: arrows go along the cards, with Shift they move the card. */
  onKey: (event: KeyboardEvent, item: DeskItem) => void;
}>;

type MovesOf = Readonly<{ grid: CardGrid; cards: CardFocus; tell: (event: BoardEvent) => void }>;

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 0, ArrowDown: 0 } as const;

/** Cards from column to column: by key, menu and hand. */
export function useBoardMoves({ grid, cards, tell }: MovesOf): BoardMoves {
  const [said, setSaid] = useState('');
  const onChanged = (contribution: DeskContribution): void => {
    const item = rowOf(contribution);
    tell({ type: 'placed', item });
    cards.focusWhenMoved(item.id);
    setSaid(stateChangeTexts.moved(deskTexts.nameOf(item.contributor), deskTexts.states[item.state]));
  };
  const changes = useStateChange({ onChanged, onGone: (id) => tell({ type: 'gone', id }) });
  const move = (item: DeskItem, state: DeskState): void => {
    if (item.state !== state) changes.begin(item, state);
  };
  const onKey = (event: KeyboardEvent, item: DeskItem): void => {
    const arrow = arrowOf(event.key);
    if (arrow === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!event.shiftKey) return cards.focus(cardAt(grid, item.id, arrow));
    const beside = DESK_STATES[DESK_STATES.indexOf(item.state) + STEPS[arrow]];
    if (beside !== undefined) move(item, beside);
  };
  return { changes, said, move, onKey };
}
