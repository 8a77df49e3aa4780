import { minutesAndSeconds } from '../timer.tsx';

/** Speeds that the players offer; 1 is as recorded. */
export const SPEEDS = [0.75, 1, 1.25, 1.5, 2] as const;
export type Speed = (typeof SPEEDS)[number];

/** What the screen knows of a media element. Times in seconds. */
export type PlayerState = Readonly<{
  /** `broken`: the browser cannot load or decode the file. */
  phase: 'loading' | 'ready' | 'broken';
  playing: boolean;
  /** Plays, but the next piece has not arrived. */
  waiting: boolean;
  position: number;
  /** Undefined until it is known: recordings made in a browser carry none. */
  length: number | undefined;
  muted: boolean;
}>;

export type PlayerEvent =
  | Readonly<{ type: 'length'; seconds: number }>
  | Readonly<{ type: 'moved'; seconds: number }>
  | Readonly<{ type: 'muted'; muted: boolean }>
  | Readonly<{ type: 'started' | 'paused' | 'ended' | 'waiting' | 'playing' | 'failed' | 'reloaded' }>;

export const INITIAL: PlayerState = {
  phase: 'loading',
  playing: false,
  waiting: false,
  position: 0,
  length: undefined,
  muted: false,
};

export function reducePlayer(state: PlayerState, event: PlayerEvent): PlayerState {
  switch (event.type) {
    case 'length':
      return { ...state, phase: 'ready', length: event.seconds };
    case 'moved':
      return { ...state, position: clampPosition(event.seconds, state.length) };
    case 'muted':
      return { ...state, muted: event.muted };
    case 'started':
      return { ...state, playing: true };
    case 'waiting':
      return { ...state, waiting: state.playing };
    case 'playing':
      return { ...state, phase: 'ready', waiting: false };
    case 'paused':
    case 'ended':
      return { ...state, playing: false, waiting: false };
    case 'failed':
      return { ...state, phase: 'broken', playing: false, waiting: false };
    case 'reloaded':
      // Loading stops it without an event. The position stays: playing goes on from there.
      return { ...state, phase: 'loading', playing: false, waiting: false };
    default:
      return event satisfies never;
  }
}

export function clampPosition(seconds: number, length: number | undefined): number {
  return Math.max(0, Math.min(seconds, length ?? Number.POSITIVE_INFINITY));
}

/** A sentence is repeated rather than left when it has run this long, as music players do with tracks. */
const REPEAT_AFTER_S = 1.5;

/** The beginning of the sentence before or after a position; undefined where there is none. `starts` ascend. */
export function findSentence(
  starts: readonly number[],
  position: number,
  direction: 'previous' | 'next',
): number | undefined {
  if (direction === 'next') return starts.find((start) => start > position + 0.05);
  const begun = starts.filter((start) => start <= position);
  const current = begun.at(-1);
  if (current !== undefined && position - current > REPEAT_AFTER_S) return current;
  return begun.at(-2) ?? (current === undefined ? undefined : 0);
}

/** Which sentence is spoken at a position; -1 before the first one. */
export function findSpoken(starts: readonly number[], position: number): number {
  return starts.findLastIndex((start) => start <= position);
}

/** Such as '01:05' and, for screen readers, 'Minute 1:05 von 3:20'. */
export function describePosition({ position, length }: Pick<PlayerState, 'position' | 'length'>): string {
  const plain = (seconds: number): string => minutesAndSeconds(seconds).replace(/^0(?=\d:)/, '');
  return length === undefined ? `Minute ${plain(position)}` : `Minute ${plain(position)} von ${plain(length)}`;
}

export function parseSpeed(stored: string | null): Speed {
  return SPEEDS.find((speed) => String(speed) === stored) ?? 1;
}
