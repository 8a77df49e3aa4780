import { useCallback, useEffect, useRef, type RefCallback } from 'react';
import { useLinks } from '../use-links.ts';
import type { CardGrid } from './card-grid.ts';

export type CardFocus = Readonly<{
  linkOf: (id: number) => RefCallback<HTMLAnchorElement>;
  /** Nothing happens where there is no such card. */
  focus: (id: number | undefined) => void;
  /** The card that has the focus. */
  focused: () => number | undefined;
  /** As soon as the card stands in its new column. */
  focusWhenMoved: (id: number) => void;
}>;

/** The focus goes along with a card that changes its column. */
export function useCardFocus(grid: CardGrid): CardFocus {
  const { linkOf, link, focused } = useLinks(grid);
  const moved = useRef<number>(undefined);
  useEffect(() => {
    if (moved.current !== undefined) link(moved.current)?.focus();
    moved.current = undefined;
  });
  const focus = useCallback((id: number | undefined) => link(id)?.focus(), [link]);
  const focusWhenMoved = useCallback((id: number) => {
    moved.current = id;
  }, []);
  return { linkOf, focus, focused, focusWhenMoved };
}
