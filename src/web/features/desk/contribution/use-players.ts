import { useCallback, useMemo, useRef, useState } from 'react';
import type { Place, Recording } from './spoken-places.ts';

export type Players = Readonly<{
  hold: (path: string) => (element: HTMLMediaElement | null) => void;
  learned: (path: string, seconds: number) => void;
  /** What is known to be playable, and how long it is. */
  recordings: readonly Recording[];
  /** Plays from there; everything else falls silent. */
  jump: (place: Place) => void;
}>;

export function usePlayers(): Players {
  const elements = useRef(new Map<string, HTMLMediaElement>());
  const [lengths, setLengths] = useState<ReadonlyMap<string, number>>(new Map());
  const hold = useCallback(
    (path: string) => (element: HTMLMediaElement | null) => {
      if (element === null) elements.current.delete(path);
      else elements.current.set(path, element);
    },
    [],
  );
  const learned = useCallback(
    (path: string, seconds: number) =>
      setLengths((before) => (before.get(path) === seconds ? before : new Map(before).set(path, seconds))),
    [],
  );
  const jump = useCallback(({ path, seconds }: Place) => {
    for (const [other, element] of elements.current) if (other !== path) element.pause();
    const element = elements.current.get(path);
    if (element === undefined) return;
    element.currentTime = seconds;
    element.scrollIntoView({ block: 'nearest' });
    element.play().catch(() => undefined);
  }, []);
  const recordings = useMemo(() => [...lengths].map(([path, seconds]) => ({ path, seconds })), [lengths]);
  return { hold, learned, recordings, jump };
}
