import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { browserRecognition, type RecognitionConstructor } from './browser-recognition.ts';
import { LiveRecognition, type RecognitionSnapshot } from './live-recognition.ts';

export type UseLiveRecognitionOptions = Readonly<{
  /** Whether the recorder records and is not paused: recognition follows it. */
  active: boolean;
  /** `useRecorder().track`. */
  track?: MediaStreamTrack | undefined;
  /** `config.cloudRecognition`. */
  cloud: boolean;
  /** Only in tests. */
  Recognition?: RecognitionConstructor | undefined;
}>;

export type LiveRecognitionHandle = RecognitionSnapshot &
  Readonly<{
    /** The settled text, once the last words have come (2 s at most). Never rejects. */
    finish: () => Promise<string>;
    /** For a new recording. */
    clear: () => void;
  }>;

/** Second source of a transcript (speech.md): listens while the recorder records. */
export function useLiveRecognition(options: UseLiveRecognitionOptions): LiveRecognitionHandle {
  const { active, cloud, track } = options;
  const Recognition = 'Recognition' in options ? options.Recognition : browserRecognition();
  const recognition = useMemo(() => new LiveRecognition({ Recognition, cloud }), [Recognition, cloud]);
  const snapshot = useSyncExternalStore(recognition.subscribe, recognition.snapshot);
  useEffect(() => {
    if (active) recognition.start(track);
    else void recognition.stop();
  }, [recognition, active, track]);
  useEffect(() => () => recognition.clear(), [recognition]);
  const actions = useMemo(
    () => ({ finish: () => recognition.stop(), clear: () => recognition.clear() }),
    [recognition],
  );
  return { ...snapshot, ...actions };
}
