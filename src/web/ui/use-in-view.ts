import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

/** Kept free at the edge, in CSS pixels, for the ring of the focus. */
const MARGIN = 16;

/**
 * For a row of links that scrolls sideways: scrolls to the one with the focus, or else to the current one, at first and
 * where the row has another width, as a count that arrives moves every link behind it.
 */
export function useEntryInView(): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  const width = useRef(0);
  useLayoutEffect(() => {
    if (row.current === null || row.current.scrollWidth === width.current) return;
    width.current = row.current.scrollWidth;
    const entry = row.current.querySelector(':focus') ?? row.current.querySelector('[aria-current]');
    if (entry === null) return;
    const visible = row.current.getBoundingClientRect();
    const { left, right } = entry.getBoundingClientRect();
    if (left < visible.left + MARGIN) row.current.scrollLeft += left - visible.left - MARGIN;
    else if (right > visible.right - MARGIN) row.current.scrollLeft += right - visible.right + MARGIN;
  });
  return row;
}

/**
 * For what appears with something to do in it. The page moves no further than needed, as at its end the actions would
 * move away from the finger; what grows is brought to the top (`start`).
 */
export function useInSight(block: 'nearest' | 'start' = 'nearest'): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const still = window.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false;
    place.current?.scrollIntoView?.({ block, behavior: still ? 'auto' : 'smooth' });
  }, [block]);
  return place;
}
