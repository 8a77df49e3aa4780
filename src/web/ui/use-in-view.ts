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
 * For what appears with something to do in it: brought to the top, clear of the toast that comes at the lower edge of a
 * phone.
 */
export function useInSight(): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const still = window.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false;
    place.current?.scrollIntoView?.({ block: 'start', behavior: still ? 'auto' : 'smooth' });
  }, []);
  return place;
}
