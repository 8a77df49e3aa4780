import { useEffect, useMemo, useRef, type RefCallback } from 'react';
import { stepTo } from '../shortcuts.ts';
import { useItemLinks } from '../use-item-links.ts';

/** Which row of a list has or had the focus. */
export type RowFocus = Readonly<{
  getLinkRef: (id: number) => RefCallback<HTMLAnchorElement>;
  focused: (id: number) => void;
  /** Gives the place that was reached, -1 for none. */
  step: (direction: 'next' | 'previous') => number;
  /** Follows the link of the row that was last looked at. */
  open: () => void;
  focus: (id: number) => void;
}>;

type Place = Readonly<{ id: number | undefined; index: number }>;

export function useRowFocus(ids: readonly number[]): RowFocus {
  const { getLinkRef, link } = useItemLinks([ids]);
  const place = useRef<Place>({ id: undefined, index: -1 });
  const order = useRef(ids);
  useEffect(() => {
    order.current = ids;
  });
  return useMemo<RowFocus>(
    () => ({
      getLinkRef,
      focused: (id) => {
        place.current = { id, index: order.current.indexOf(id) };
      },
      step: (direction) => {
        const index = stepTo(findStart(place.current, order.current, direction), order.current.length, direction);
        place.current = { id: order.current[index], index };
        link(place.current.id)?.focus();
        return index;
      },
      open: () => link(place.current.id)?.click(),
      focus: (id) => link(id)?.focus(),
    }),
    [link, getLinkRef],
  );
}

/** Where a row is gone, the next one stands in its place. */
function findStart({ id, index }: Place, order: readonly number[], direction: 'next' | 'previous'): number {
  const now = order.indexOf(id ?? -1);
  if (now !== -1 || index === -1) return now;
  return direction === 'next' ? index - 1 : index;
}
