import { useCallback, useEffect, useMemo, useRef, type RefCallback } from 'react';
import { stepTo } from '../shortcuts.ts';

/** Which row of a list has or had the focus. */
export type RowFocus = Readonly<{
  linkOf: (id: number) => RefCallback<HTMLAnchorElement>;
  focused: (index: number) => void;
  /** Gives the place that was reached, -1 for none. */
  step: (direction: 'next' | 'previous') => number;
  /** Follows the link of the row that was last looked at. */
  open: () => void;
  focus: (id: number) => void;
}>;

export function useRowFocus(ids: readonly number[]): RowFocus {
  const links = useRef(new Map<number, HTMLAnchorElement>());
  const place = useRef(-1);
  const order = useRef(ids);
  useEffect(() => {
    order.current = ids;
  });
  const linkAt = useCallback((index: number) => links.current.get(order.current[index] ?? -1), []);
  return useMemo<RowFocus>(
    () => ({
      linkOf: (id) => (link) => {
        if (link !== null) links.current.set(id, link);
        return () => void links.current.delete(id);
      },
      focused: (index) => {
        place.current = index;
      },
      step: (direction) => {
        place.current = stepTo(place.current, order.current.length, direction);
        linkAt(place.current)?.focus();
        return place.current;
      },
      open: () => linkAt(place.current)?.click(),
      focus: (id) => links.current.get(id)?.focus(),
    }),
    [linkAt],
  );
}
