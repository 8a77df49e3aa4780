import { useCallback, useEffect, useRef, type RefCallback } from 'react';

export type CardFocus = Readonly<{
  linkOf: (id: number) => RefCallback<HTMLAnchorElement>;
  focus: (id: number) => void;
  /** As soon as the card stands in its new column. */
  focusWhenMoved: (id: number) => void;
}>;

/** The focus goes along with a card that changes its column. */
export function useCardFocus(): CardFocus {
  const links = useRef(new Map<number, HTMLAnchorElement>());
  const moved = useRef<number>(undefined);
  useEffect(() => {
    const link = moved.current === undefined ? undefined : links.current.get(moved.current);
    if (link === undefined) return;
    moved.current = undefined;
    link.focus();
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
  const focus = useCallback((id: number) => links.current.get(id)?.focus(), []);
  const focusWhenMoved = useCallback((id: number) => {
    moved.current = id;
  }, []);
  return { linkOf, focus, focusWhenMoved };
}
