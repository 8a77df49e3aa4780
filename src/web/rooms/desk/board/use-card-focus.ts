import { useCallback, useEffect, useRef, type RefCallback } from 'react';

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
export function useCardFocus(): CardFocus {
  const links = useRef(new Map<number, HTMLAnchorElement>());
  const moved = useRef<number>(undefined);
  useEffect(() => {
    if (moved.current !== undefined) links.current.get(moved.current)?.focus();
    moved.current = undefined;
  });
  const linkOf = useCallback(
    (id: number): RefCallback<HTMLAnchorElement> =>
      (link) => {
        if (link !== null) links.current.set(id, link);
        return () => {
          if (links.current.get(id) === link) links.current.delete(id);
        };
      },
    [],
  );
  const focus = useCallback((id: number | undefined) => links.current.get(id ?? 0)?.focus(), []);
  const focused = useCallback(() => [...links.current].find(([, link]) => link === document.activeElement)?.[0], []);
  const focusWhenMoved = useCallback((id: number) => {
    moved.current = id;
  }, []);
  return { linkOf, focus, focused, focusWhenMoved };
}
