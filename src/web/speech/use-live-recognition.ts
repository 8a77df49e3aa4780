import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { getBrowserRecognition, type RecognitionConstructor } from './browser-recognition.ts';
import { LiveRecognition } from './live-recognition.ts';

export type UseLiveRecognitionOptions = Readonly<{
  /** Whether the recorder records; recognition follows it. */
  active: boolean;
  /** `useRecorder().track`. */
  track?: MediaStreamTrack | undefined;
  /** `config.cloudRecognition`. */
  cloud: boolean;
  /** Only in tests. */
  Recognition?: RecognitionConstructor | undefined;
}>;

/** The second source of a transcript (docs/speech.md): listens while the recorder records. */
export function useLiveRecognition(options: UseLiveRecognitionOptions) {
  const { active, cloud, track } = options;
  const Recognition = 'Recognition' in options ? options.Recognition : getBrowserRecognition();
  const recognition = useMemo(() => new LiveRecognition({ Recognition, cloud }), [Recognition, cloud]);
  const snapshot = useSyncExternalStore(recognition.subscribe, recognition.snapshot);
  useEffect(() => {
    if (active) recognition.start(track);
    else void recognition.stop();
  }, [recognition, active, track]);
  useEffect(() => () => recognition.clear(), [recognition]);
  const actions = useMemo(
    () => ({
      /** Resolves with the final text once the last words have come, after 2 s at most. Never rejects. */
      finish: () => recognition.stop(),
      /** For a new recording. */
      clear: () => recognition.clear(),
    }),
    [recognition],
  );
  return { ...snapshot, ...actions };
}

export type LiveRecognitionHandle = ReturnType<typeof useLiveRecognition>;
