import { useRef, useState, type ReactNode } from 'react';
import { Notice } from '#web/ui/notice.tsx';
import { contributionTexts as texts } from './texts.ts';

type PlayerProps = Readonly<{
  kind: 'audio' | 'video';
  src: string;
  name: string;
  /** The element, for who wants to jump in it. */
  hold: (element: HTMLMediaElement | null) => void;
  onDuration: (seconds: number) => void;
}>;

/** Farther than any recording goes: the browser stops at the end and knows its length then. */
const THE_END = 1e9;

/** The platform's own player. */
export function Player({ kind, src, name, hold, onDuration }: PlayerProps): ReactNode {
  const [broken, setBroken] = useState(false);
  const seeking = useRef(false);
  const learn = (element: HTMLMediaElement): void => {
    if (Number.isFinite(element.duration)) {
      onDuration(element.duration);
      if (seeking.current) element.currentTime = 0;
      seeking.current = false;
    } else if (element.duration === Number.POSITIVE_INFINITY && !seeking.current) {
      // What a browser recorded carries no length.
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
    ref: hold,
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
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- material handed in; nobody has written captions yet
    <video {...attributes} playsInline className="max-h-[26rem] w-full rounded-control bg-sunken" />
  );
}
