import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { watchMuted } from '#web/speech/inputs.ts';
import { browserRecorderDeps, type RecorderDeps } from './recorder-deps.ts';
import { Recorder } from './recorder.ts';
import { getShownSeconds, type RecorderNotice, type RecorderSnapshot, type Recording } from './state.ts';

export type UseRecorderOptions = Readonly<{
  /** User id: recordings of others are not offered. */
  owner: string;
  area: string;
  /** `getMessage(notice)` has the words. */
  onNotice?: (notice: RecorderNotice) => void;
  /** Only in tests. */
  deps?: RecorderDeps;
}>;

export type RecorderHandle = RecorderSnapshot &
  Readonly<{
    /** Whole seconds for the timer. */
    seconds: number;
    recording: Recording | undefined;
    /** The level of the open microphone now, 0 to 1. */
    readLevel: () => number;
    start: () => void;
    stop: () => void;
    pause: () => void;
    resume: () => void;
    /** While it is sent, the recording is not offered again when the screen is left; until the returned function. */
    hold: () => () => void;
    /** Discards the recording and the one put aside, on this device too. */
    discardAll: () => void;
    /** Makes way for a new recording, which replaces this one only once it is finished. */
    putAside: () => void;
    /** Gives up the new recording for the one put aside. */
    keepPrevious: () => void;
    restore: (id: string) => void;
    discardRecovered: (id: string) => void;
    /** The microphone of the next recording; undefined is the browser's own choice. */
    inputId: string | undefined;
    chooseInput: (id: string | undefined) => void;
  }>;

/** §2.6: the recorder of one screen. The microphone is released on stop, on every error and on leaving. */
export function useRecorder(options: UseRecorderOptions): RecorderHandle {
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
      discardAll: () => recorder.discardAll(),
      putAside: () => recorder.putAside(),
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
    seconds: getShownSeconds(snapshot.state),
    recording: snapshot.state.status === 'recorded' ? snapshot.state.recording : undefined,
    inputId,
    chooseInput,
  };
}

/** Whether the microphone gives silence: a phone call or a switch of the device mutes it without ending it. */
export function useMuted(track: MediaStreamTrack | undefined): boolean {
  const subscribe = useCallback((changed: () => void) => watchMuted(track, changed), [track]);
  return useSyncExternalStore(subscribe, () => track?.muted === true);
}
