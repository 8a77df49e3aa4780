import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { watchMuted } from '#web/speech/inputs.ts';
import { browserRecorderDeps, type RecorderDeps } from './recorder-deps.ts';
import { Recorder } from './recorder.ts';
import { getShownSeconds, type RecorderNotice } from './state.ts';

export type UseRecorderOptions = Readonly<{
  /** User id: recordings of others are not offered. */
  owner: string;
  area: string;
  /** `getMessage(notice)` has the words. */
  onNotice?: (notice: RecorderNotice) => void;
  /** Only in tests. */
  deps?: RecorderDeps;
}>;

/** §2.6: the recorder of one screen. The microphone is released on stop, on every error and on leaving. */
export function useRecorder(options: UseRecorderOptions) {
  const { owner, area, onNotice, deps = browserRecorderDeps() } = options;
  const recorder = useMemo(() => new Recorder(deps, { owner, area }), [deps, owner, area]);
  const snapshot = useSyncExternalStore(recorder.subscribe, recorder.snapshot);
  const [inputId, chooseInput] = useState<string>();

  useEffect(() => recorder.listen(onNotice), [recorder, onNotice]);
  useEffect(() => recorder.open(), [recorder]);

  const actions = useMemo(
    () => ({
      stop: () => recorder.stop(),
      pause: () => recorder.pause(),
      resume: () => recorder.resume(),
      /** Discards the recording and the one put aside, on this device too. */
      discardAll: () => recorder.discardAll(),
      /** Makes way for a new recording, which replaces this one only once it is finished. */
      putAside: () => recorder.putAside(),
      /** Gives up the new recording for the one put aside. */
      keepPrevious: () => recorder.keepPrevious(),
      restore: (id: string) => void recorder.restore(id),
      discardRecovered: (id: string) => void recorder.discard(id),
    }),
    [recorder],
  );
  const start = useCallback(() => void recorder.start(inputId), [recorder, inputId]);
  return {
    ...snapshot,
    ...actions,
    start,
    readLevel: recorder.readLevel,
    hold: recorder.hold,
    /** Whole seconds for the timer. */
    seconds: getShownSeconds(snapshot.state),
    recording: snapshot.state.status === 'recorded' ? snapshot.state.recording : undefined,
    /** The microphone of the next recording; undefined is the browser's own choice. */
    inputId,
    chooseInput,
  };
}

export type RecorderHandle = ReturnType<typeof useRecorder>;

/** Whether the microphone gives silence: a phone call or a switch of the device mutes it without ending it. */
export function useMuted(track: MediaStreamTrack | undefined): boolean {
  const subscribe = useCallback((changed: () => void) => watchMuted(track, changed), [track]);
  return useSyncExternalStore(subscribe, () => track?.muted === true);
}
