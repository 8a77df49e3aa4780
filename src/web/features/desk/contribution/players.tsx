import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { SpokenSegment } from '#contract/spoken.ts';
import { useBackend } from '#web/backend/client.ts';
import { listSpokenSegments } from '#web/backend/media.ts';
import { findSpoken } from '#web/ui/player/state.ts';
import { Play } from '#web/ui/screen-icons.ts';
import { contributionTexts as texts } from './texts.ts';
import type { Place } from './turn-log.ts';

/** What was said when, by recording; recordings without times are missing. */
const NOTHING_SPOKEN: ReadonlyMap<string, readonly SpokenSegment[]> = new Map();

export type Players = ReturnType<typeof usePlayers>;

/** `recordings`: those whose length the browser has found, so they can be played. */
export function usePlayers(contribution: number) {
  const backend = useBackend();
  const elements = useRef(new Map<string, HTMLMediaElement>());
  const [lengths, setLengths] = useState<ReadonlyMap<string, number>>(new Map());
  const { data: spoken = NOTHING_SPOKEN } = useQuery({
    queryKey: ['desk', 'spoken', contribution],
    queryFn: () => listSpokenSegments(backend, contribution),
  });
  const register = useCallback(
    (path: string) => (element: HTMLMediaElement | null) => {
      if (element === null) elements.current.delete(path);
      else elements.current.set(path, element);
    },
    [],
  );
  const setDuration = useCallback(
    (path: string, seconds: number) =>
      setLengths((before) => (before.get(path) === seconds ? before : new Map(before).set(path, seconds))),
    [],
  );
  /** Plays from this position; the player pauses every other one. */
  const jump = useCallback(({ path, seconds }: Place) => {
    const element = elements.current.get(path);
    if (element === undefined) return;
    element.currentTime = seconds;
    (element.closest('[role=group]') ?? element).scrollIntoView({ block: 'nearest' });
    element.play().catch(() => undefined);
  }, []);
  /** Calls back with the position in seconds while that recording moves. Returns what ends it. */
  const follow = useCallback((path: string, listener: (seconds: number) => void) => {
    const element = elements.current.get(path);
    const tell = (): void => listener(element?.currentTime ?? 0);
    // It may have moved before anybody followed it.
    if (element !== undefined && element.currentTime > 0) tell();
    element?.addEventListener('timeupdate', tell);
    return () => element?.removeEventListener('timeupdate', tell);
  }, []);
  const recordings = useMemo(() => [...lengths].map(([path, seconds]) => ({ path, seconds })), [lengths]);
  return { register, setDuration, recordings, spoken, jump, follow };
}

/** The recording behind the transcript and its timed segments. */
type Spoken = Readonly<{ path: string; segments: readonly SpokenSegment[] }>;

/** The newest playable recording whose times are known. */
export function chooseSpoken({ spoken, recordings }: Pick<Players, 'spoken' | 'recordings'>): Spoken | undefined {
  const playable = [...spoken].findLast(([path]) => recordings.some((one) => one.path === path));
  return playable === undefined ? undefined : { path: playable[0], segments: playable[1] };
}

/** The start of the sentence that is being heard; undefined before the first one and where nothing was played. */
export function useSentenceHeard({ follow }: Players, spoken: Spoken | undefined): number | undefined {
  const [heard, setHeard] = useState<number>();
  useEffect(() => {
    if (spoken === undefined) return undefined;
    const starts = spoken.segments.map(({ start }) => start);
    return follow(spoken.path, (seconds) => setHeard(starts[findSpoken(starts, seconds)]));
  }, [follow, spoken]);
  return heard;
}

/** Plays the recording from a position. */
export function JumpButton({
  place,
  label,
  onJump,
}: Readonly<{ place: Place; label: string; onJump: (place: Place) => void }>): ReactNode {
  return (
    <button
      type="button"
      aria-label={texts.listenFrom(label)}
      onClick={() => onJump(place)}
      className={clsx(
        'tabular first:-ml-1.5 inline-flex min-h-7 items-center gap-1 rounded-sm px-1.5 text-sm font-medium',
        'whitespace-nowrap text-accent-ink hover:bg-accent-wash pointer-coarse:min-h-11',
      )}
    >
      <Play className="size-3.5" />
      {label}
    </button>
  );
}
