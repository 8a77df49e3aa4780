import {
  useCallback,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  type RefObject,
  type SyntheticEvent,
} from 'react';
import { clampPosition, INITIAL, parseSpeed, reducePlayer, type PlayerEvent, type Speed } from './state.ts';

const SPEED_KEY = 'player_speed';
/** Lies past the end of any recording: seeking here makes the browser find the length. */
const THE_END = 1e9;

/** The one that is heard; another one that starts pauses it. */
let heard: HTMLMediaElement | undefined;

function pauseOther(media: HTMLMediaElement): void {
  if (heard !== media) heard?.pause();
  heard = media;
}

export type MediaOptions = Readonly<{
  /** An address that answers ranges, or the file itself. */
  src: string | Blob;
  /** Receives the media element, so that others can seek in it. */
  register?: ((element: HTMLMediaElement | null) => void) | undefined;
  onLength?: ((seconds: number) => void) | undefined;
  /** Fetches an address that holds, when this one does not play (any more). */
  renew?: (() => Promise<unknown>) | undefined;
}>;

/** Joins a media element with `reducePlayer`. The element is to have `listeners`; `seek` takes seconds. */
export function usePlayer({ src, register, onLength, renew }: MediaOptions) {
  const element = useRef<HTMLMediaElement | null>(null);
  const [state, dispatch] = useReducer(reducePlayer, INITIAL);
  const [speed, setSpeed] = useSpeed();
  const attach = useCallback(
    (found: HTMLMediaElement | null) => {
      element.current = found;
      register?.(found);
    },
    [register],
  );
  // A file that is loaded again begins at the speed of `defaultPlaybackRate`.
  useEffect(() => {
    if (element.current !== null) element.current.defaultPlaybackRate = element.current.playbackRate = speed;
  }, [speed]);
  useSource(src, element, dispatch);
  const listeners = useListeners(dispatch, { position: state.position, onLength });
  const toggle = (): void => {
    if (element.current?.paused === false) element.current.pause();
    // A refusal ends in the element's 'error' or 'pause'.
    else element.current?.play().catch(() => undefined);
  };
  const seek = (seconds: number): void => {
    const to = clampPosition(seconds, state.length);
    if (element.current !== null) element.current.currentTime = to;
    dispatch({ type: 'moved', seconds: to });
  };
  const toggleMute = (): void => {
    if (element.current !== null) element.current.muted = !element.current.muted;
  };
  /** Loads the file again and keeps the position; `renew` fetches an address that holds. */
  const reload = (): void => {
    dispatch({ type: 'reloaded' });
    void Promise.resolve(renew?.()).finally(() => element.current?.load());
  };
  return { state, speed, attach, listeners, toggle, seek, setSpeed, toggleMute, reload };
}

export type PlayerControl = ReturnType<typeof usePlayer>;

/** A Blob gets an address for as long as it is played. */
function useSource(
  src: string | Blob,
  element: RefObject<HTMLMediaElement | null>,
  dispatch: (event: PlayerEvent) => void,
): void {
  useEffect(() => {
    dispatch({ type: 'reloaded' });
    if (typeof src === 'string' || element.current === null) return undefined;
    const address = URL.createObjectURL(src);
    element.current.setAttribute('src', address);
    return () => URL.revokeObjectURL(address);
  }, [src, element, dispatch]);
}

type MediaEvent = SyntheticEvent<HTMLMediaElement>;

function useListeners(
  dispatch: (event: PlayerEvent) => void,
  { position, onLength }: Readonly<{ position: number; onLength: MediaOptions['onLength'] }>,
) {
  const measuring = useRef(false);
  const learn = ({ currentTarget: media }: MediaEvent): void => {
    if (media.duration === Number.POSITIVE_INFINITY && !measuring.current) {
      // Recordings made in a browser carry no length, and in some of them no place can be sought (decision 0377).
      measuring.current = media.seekable.length > 0;
      if (measuring.current) media.currentTime = THE_END;
    } else if (Number.isFinite(media.duration)) {
      const fresh = measuring.current || media.currentTime === 0;
      measuring.current = false;
      dispatch({ type: 'length', seconds: media.duration });
      onLength?.(media.duration);
      // From the beginning, or from where an address expired.
      if (fresh && media.currentTime !== position) media.currentTime = position;
    }
  };
  return {
    onLoadedMetadata: learn,
    onDurationChange: learn,
    onTimeUpdate: ({ currentTarget: media }: MediaEvent): void => {
      // A reloaded file first reports position 0, which is no seek.
      if (!measuring.current && media.readyState > 0) dispatch({ type: 'moved', seconds: media.currentTime });
    },
    onPlay: ({ currentTarget: media }: MediaEvent): void => {
      pauseOther(media);
      dispatch({ type: 'started' });
    },
    onPlaying: () => dispatch({ type: 'playing' }),
    onPause: () => dispatch({ type: 'paused' }),
    onEnded: () => dispatch({ type: 'ended' }),
    onWaiting: () => dispatch({ type: 'waiting' }),
    onVolumeChange: ({ currentTarget: media }: MediaEvent) => dispatch({ type: 'muted', muted: media.muted }),
    // The next load measures the length again.
    onEmptied: () => void (measuring.current = false),
    onError: () => dispatch({ type: 'failed' }),
  };
}

/** The speed that was chosen last on this device, for every player. */
function useSpeed(): readonly [Speed, (speed: Speed) => void] {
  const stored = useMemo(() => parseSpeed(localStorage.getItem(SPEED_KEY)), []);
  const [speed, setSpeed] = useState<Speed>(stored);
  const choose = (chosen: Speed): void => {
    setSpeed(chosen);
    try {
      localStorage.setItem(SPEED_KEY, String(chosen));
    } catch {
      // A full storage only forgets the speed.
    }
  };
  return [speed, choose];
}
