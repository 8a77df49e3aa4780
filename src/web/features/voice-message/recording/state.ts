import { RECORDING_MAX_S } from '#contract/limits.ts';
import type { RecordingExtension } from './choose-format.ts';
import type { RecorderFault } from './faults.ts';

/** A finished recording. Its file carries no duration, so `seconds` is what the recorder's own timer counted. */
export type Recording = Readonly<{
  blob: Blob;
  extension: RecordingExtension;
  mime: string;
  seconds: number;
  bytes: number;
}>;

/**
 * §4 'Voice message' up to `recorded`; what comes after is the transcription's. `seconds` are whole and without pauses.
 */
export type RecorderState =
  | Readonly<{ status: 'idle' }>
  | Readonly<{ status: 'requesting' }>
  | Readonly<{ status: 'recording'; seconds: number; paused: boolean }>
  | Readonly<{ status: 'stopping'; seconds: number; automatic: boolean; fault: RecorderFault | undefined }>
  | Readonly<{ status: 'recorded'; recording: Recording; fault: RecorderFault | undefined }>
  | Readonly<{ status: 'error'; fault: RecorderFault }>;

export type RecorderEvent =
  | Readonly<{ type: 'start' }>
  | Readonly<{ type: 'granted' }>
  | Readonly<{ type: 'tick'; seconds: number }>
  | Readonly<{ type: 'pause' }>
  | Readonly<{ type: 'resume' }>
  | Readonly<{ type: 'stop' }>
  /** The device went away or the browser's recorder broke: what came so far is kept. */
  | Readonly<{ type: 'interrupted'; fault: RecorderFault }>
  | Readonly<{ type: 'finished'; recording: Recording }>
  | Readonly<{ type: 'restored'; recording: Recording }>
  | Readonly<{ type: 'failed'; fault: RecorderFault }>
  | Readonly<{ type: 'reset' }>;

export const IDLE: RecorderState = { status: 'idle' };

/** Pure. An event that makes no sense in a state leaves it as it is, so no order of events can break it. */
export function reduceRecorder(state: RecorderState, event: RecorderEvent): RecorderState {
  switch (event.type) {
    case 'reset':
      return IDLE;
    case 'failed':
      return state.status === 'idle' || state.status === 'recorded' ? state : { status: 'error', fault: event.fault };
    case 'start':
    case 'restored':
      return state.status === 'idle' || state.status === 'error' ? opened(event) : state;
    case 'granted':
      return state.status === 'requesting' ? { status: 'recording', seconds: 0, paused: false } : state;
    case 'finished':
      return state.status === 'recording' || state.status === 'stopping' ? recorded(state, event.recording) : state;
    default:
      return state.status === 'recording' ? whileRecording(state, event) : state;
  }
}

function opened(event: Extract<RecorderEvent, { type: 'start' | 'restored' }>): RecorderState {
  if (event.type === 'start') return { status: 'requesting' };
  return { status: 'recorded', recording: event.recording, fault: undefined };
}

function recorded(
  state: Extract<RecorderState, { status: 'recording' | 'stopping' }>,
  recording: Recording,
): RecorderState {
  return { status: 'recorded', recording, fault: state.status === 'stopping' ? state.fault : undefined };
}

type Running = Extract<RecorderState, { status: 'recording' }>;
type RunningEvent = Extract<RecorderEvent, { type: 'tick' | 'pause' | 'resume' | 'stop' | 'interrupted' }>;

function whileRecording(state: Running, event: RunningEvent): RecorderState {
  const { seconds } = state;
  if (event.type === 'tick') return ticked(state, event.seconds);
  if (event.type === 'stop') return { status: 'stopping', seconds, automatic: false, fault: undefined };
  if (event.type === 'interrupted') return { status: 'stopping', seconds, automatic: true, fault: event.fault };
  const paused = event.type === 'pause';
  return state.paused === paused ? state : { ...state, paused };
}

function ticked(state: Running, elapsed: number): RecorderState {
  const seconds = Math.min(RECORDING_MAX_S, Math.floor(elapsed));
  if (elapsed >= RECORDING_MAX_S) return { status: 'stopping', seconds, automatic: true, fault: undefined };
  return seconds === state.seconds ? state : { ...state, seconds };
}

/** Seconds the timer shows. */
export function shownSeconds(state: RecorderState): number {
  if (state.status === 'recording' || state.status === 'stopping') return state.seconds;
  if (state.status === 'recorded') return Math.min(RECORDING_MAX_S, Math.floor(state.recording.seconds));
  return 0;
}
