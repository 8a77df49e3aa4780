import { clsx } from 'clsx';
import { useCallback, useMemo, useRef, useState, type ReactNode } from 'react';
import { Notice } from '#web/ui/notice.tsx';
import { Play } from '#web/ui/screen-icons.ts';
import { contributionTexts as texts } from './texts.ts';
import type { Place, Recording } from './turn-log.ts';

type PlayerProps = Readonly<{
  kind: 'audio' | 'video';
  src: string;
  name: string;
  /** Receives the media element, so that jump buttons can seek in it. */
  register: (element: HTMLMediaElement | null) => void;
  onDuration: (seconds: number) => void;
}>;

/** Lies past the end of any recording: seeking here makes the browser find the length. */
const THE_END = 1e9;

/** Plays a file with the browser's own controls. */
export function Player({ kind, src, name, register, onDuration }: PlayerProps): ReactNode {
  const [broken, setBroken] = useState(false);
  const seeking = useRef(false);
  const learn = (element: HTMLMediaElement): void => {
    if (Number.isFinite(element.duration)) {
      onDuration(element.duration);
      if (seeking.current) element.currentTime = 0;
      seeking.current = false;
    } else if (element.duration === Number.POSITIVE_INFINITY && !seeking.current) {
      // Recordings made in a browser carry no length.
      seeking.current = true;
      element.currentTime = THE_END;
    }
  };
  if (broken) {
    return (
      <Notice tone="caution" title={name}>
        {texts.notPlayable}
      </Notice>
    );
  }
  const attributes = {
    ref: register,
    src,
    controls: true,
    preload: 'metadata',
    'aria-label': name,
    onError: () => setBroken(true),
    onLoadedMetadata: (event: { currentTarget: HTMLMediaElement }) => learn(event.currentTarget),
    onDurationChange: (event: { currentTarget: HTMLMediaElement }) => learn(event.currentTarget),
  } as const;
  return kind === 'audio' ? (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- what is said stands beside it as text
    <audio {...attributes} className="w-full" />
  ) : (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- contributions carry no captions
    <video {...attributes} playsInline className="max-h-[26rem] w-full rounded-control bg-sunken" />
  );
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
      <Play aria-hidden className="size-3.5" />
      {label}
    </button>
  );
}

export type Players = Readonly<{
  register: (path: string) => (element: HTMLMediaElement | null) => void;
  setDuration: (path: string, seconds: number) => void;
  /** Recordings whose length the browser has found, so they can be played. */
  recordings: readonly Recording[];
  /** Plays from this position and pauses every other player. */
  jump: (place: Place) => void;
}>;

export function usePlayers(): Players {
  const elements = useRef(new Map<string, HTMLMediaElement>());
  const [lengths, setLengths] = useState<ReadonlyMap<string, number>>(new Map());
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
  const jump = useCallback(({ path, seconds }: Place) => {
    for (const [other, element] of elements.current) if (other !== path) element.pause();
    const element = elements.current.get(path);
    if (element === undefined) return;
    element.currentTime = seconds;
    element.scrollIntoView({ block: 'nearest' });
    element.play().catch(() => undefined);
  }, []);
  const recordings = useMemo(() => [...lengths].map(([path, seconds]) => ({ path, seconds })), [lengths]);
  return { register, setDuration, recordings, jump };
}
