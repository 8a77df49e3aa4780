import type { AudioInput } from '#web/speech/inputs.ts';
import type { StoredRecording } from './chunk-store.ts';
import { IDLE, type RecorderErrorCode, type RecorderState, type Recording } from './state.ts';

/** What the screen may want to tell the user (`getMessage` in texts.ts has the words). */
export type RecorderNotice =
  | Readonly<{ type: 'started' }>
  | Readonly<{ type: 'stopped'; automatic: boolean }>
  /** Start was pressed again while the microphone is being opened. */
  | Readonly<{ type: 'initialising' }>
  /** `kept`: there is a recording all the same. */
  | Readonly<{ type: 'error'; code: RecorderErrorCode; kept: boolean }>;

export type RecorderSnapshot = Readonly<{
  state: RecorderState;
  /** 0 to 1, about 20 times a second while recording. */
  level: number;
  /** The open microphone while recording: live recognition listens to the same one. */
  track: MediaStreamTrack | undefined;
  /** Recorded so far. */
  bytes: number;
  /** False where this device cannot keep the chunks: a crash would lose the recording. */
  safe: boolean;
  /** What an earlier page left behind, newest first. */
  recovered: readonly StoredRecording[];
  /** The finished recording that the next one replaces once that is finished (decision 0256). */
  previous: Recording | undefined;
  /** Microphones to choose from; empty until the microphone was allowed once. */
  inputs: readonly AudioInput[];
}>;

export type RecorderPlace = Readonly<{ owner: string; area: string }>;
export type RecorderListeners = Readonly<{
  onNotice?: ((notice: RecorderNotice) => void) | undefined;
  /** Once a second while recording (D17). */
  onActivity?: (() => void) | undefined;
}>;

export const EMPTY: RecorderSnapshot = {
  state: IDLE,
  level: 0,
  track: undefined,
  bytes: 0,
  safe: true,
  recovered: [],
  previous: undefined,
  inputs: [],
};
