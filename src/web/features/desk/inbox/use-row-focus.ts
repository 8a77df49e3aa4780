import { useEffect, useMemo, useRef, type RefCallback } from 'react';
import { stepTo } from '../shortcuts.ts';
import { useItemLinks } from '../use-item-links.ts';

/** Tracks which row of a list has or had the focus. */
export type RowFocus = Readonly<{
  getLinkRef: (id: number) => RefCallback<HTMLAnchorElement>;
  focused: (id: number) => void;
  /** Returns the index that was reached, or -1. */
  step: (direction: 'next' | 'previous') => number;
  /** Opens the row that last had the focus. */
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

/** A removed row's index now belongs to the next row. */
function findStart({ id, index }: Place, order: readonly number[], direction: 'next' | 'previous'): number {
  const now = order.indexOf(id ?? -1);
  if (now !== -1 || index === -1) return now;
  return direction === 'next' ? index - 1 : index;
}
