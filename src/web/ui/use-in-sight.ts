import { useEffect, useRef, type RefObject } from 'react';

/** For what appears with something to do in it: brought to the middle, clear of what stands at the lower edge of a phone. */
export function useInSight(): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const still = window.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false;
    place.current?.scrollIntoView?.({ block: 'center', behavior: still ? 'auto' : 'smooth' });
  }, []);
  return place;
}
