import { useEffect, useState } from 'react';
import type { SpokenSegment } from '#contract/spoken.ts';
import { useBackend } from '#web/backend/client.ts';
import { spokenIn } from '#web/backend/media.ts';
import type { Players } from './use-players.ts';

/** The recording that the transcript was made from, and what was said where in it. */
export type Spoken = Readonly<{ path: string; segments: readonly SpokenSegment[] }>;

/** Of the newest recording with times that can be played; nothing until it is known, nor where it cannot be learned. */
export function useSpoken(contribution: number, players: Players): Spoken | undefined {
  const backend = useBackend();
  const [known, setKnown] = useState<ReadonlyMap<string, readonly SpokenSegment[]>>(new Map());
  useEffect(() => {
    let current = true;
    spokenIn(backend, contribution).then(
      (found) => current && setKnown(found),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [backend, contribution]);
  const playable = [...known].findLast(([path]) => players.recordings.some((one) => one.path === path));
  return playable === undefined ? undefined : { path: playable[0], segments: playable[1] };
}
