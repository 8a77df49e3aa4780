import { useEffect, useRef, type RefObject } from 'react';

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
