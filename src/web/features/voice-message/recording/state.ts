import { RECORDING_FORMATS, RECORDING_MAX_S } from '#contract/limits.ts';
import type { AudioInput } from '#web/speech/inputs.ts';
import type { MicrophoneErrorCode } from '#web/speech/microphone-error.ts';

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
  | Readonly<{ status: 'stopping'; seconds: number; automatic: boolean; code: RecorderErrorCode | undefined }>
  | Readonly<{ status: 'recorded'; recording: Recording }>
  | Readonly<{ status: 'error'; code: RecorderErrorCode }>;

export type RecorderEvent =
  | Readonly<{ type: 'start' }>
  | Readonly<{ type: 'granted' }>
  | Readonly<{ type: 'tick'; seconds: number }>
  | Readonly<{ type: 'pause' }>
  | Readonly<{ type: 'resume' }>
  | Readonly<{ type: 'stop' }>
  /** The device went away or the browser's recorder broke: what came so far is kept. */
  | Readonly<{ type: 'interrupted'; code: RecorderErrorCode }>
  | Readonly<{ type: 'finished'; recording: Recording }>
  | Readonly<{ type: 'restored'; recording: Recording }>
  | Readonly<{ type: 'failed'; code: RecorderErrorCode }>
  | Readonly<{ type: 'reset' }>;

export const IDLE: RecorderState = { status: 'idle' };

/** Pure. An event that makes no sense in a state leaves it as it is, so no order of events can break it. */
export function reduceRecorder(state: RecorderState, event: RecorderEvent): RecorderState {
  switch (event.type) {
    case 'reset':
      return IDLE;
    case 'failed':
      return state.status === 'idle' || state.status === 'recorded' ? state : { status: 'error', code: event.code };
    case 'start':
    case 'restored':
      return state.status === 'idle' || state.status === 'error' ? openRecorder(event) : state;
    case 'granted':
      return state.status === 'requesting' ? { status: 'recording', seconds: 0, paused: false } : state;
    case 'finished':
      return state.status === 'recording' || state.status === 'stopping'
        ? { status: 'recorded', recording: event.recording }
        : state;
    default:
      return state.status === 'recording' ? reduceRunning(state, event) : state;
  }
}

function openRecorder(event: Extract<RecorderEvent, { type: 'start' | 'restored' }>): RecorderState {
  if (event.type === 'start') return { status: 'requesting' };
  return { status: 'recorded', recording: event.recording };
}

type Running = Extract<RecorderState, { status: 'recording' }>;
type RunningEvent = Extract<RecorderEvent, { type: 'tick' | 'pause' | 'resume' | 'stop' | 'interrupted' }>;

function reduceRunning(state: Running, event: RunningEvent): RecorderState {
  const { seconds } = state;
  if (event.type === 'tick') return advanceTimer(state, event.seconds);
  if (event.type === 'stop') return { status: 'stopping', seconds, automatic: false, code: undefined };
  if (event.type === 'interrupted') return { status: 'stopping', seconds, automatic: true, code: event.code };
  const paused = event.type === 'pause';
  return state.paused === paused ? state : { ...state, paused };
}

function advanceTimer(state: Running, elapsed: number): RecorderState {
  const seconds = Math.min(RECORDING_MAX_S, Math.floor(elapsed));
  if (elapsed >= RECORDING_MAX_S) return { status: 'stopping', seconds, automatic: true, code: undefined };
  return seconds === state.seconds ? state : { ...state, seconds };
}

/** Seconds the timer shows. */
export function getShownSeconds(state: RecorderState): number {
  if (state.status === 'recording' || state.status === 'stopping') return state.seconds;
  if (state.status === 'recorded') return Math.min(RECORDING_MAX_S, Math.floor(state.recording.seconds));
  return 0;
}

/** §8 'Recording errors', each with its own German message in `texts.ts`. */
export type RecorderErrorCode =
  /** 'unsupported' also where the browser has no recorder, or writes none of the formats of §9. */
  | MicrophoneErrorCode
  | 'audio-init'
  | 'start'
  | 'recording'
  | 'stop'
  /** Nothing usable came out of it. */
  | 'processing';

type RecordingExtension = (typeof RECORDING_FORMATS)[number];
export type RecordingFormat = Readonly<{ mime: string; extension: RecordingExtension }>;

/** Opus where the container can say so: the same speech in a third of the bytes of what some browsers default to. */
const MIMES: Readonly<Record<RecordingExtension, readonly string[]>> = {
  webm: ['audio/webm;codecs=opus', 'audio/webm'],
  ogg: ['audio/ogg;codecs=opus', 'audio/ogg'],
  mp4: ['audio/mp4;codecs=mp4a.40.2', 'audio/mp4'],
  mp3: ['audio/mp3'],
  mpeg: ['audio/mpeg'],
  wav: ['audio/wav'],
};

/**
 * §9 'Recording formats tried in order', but no webm where the browser writes ogg as well: that is Firefox, in whose
 * webm no place can be sought (decision 0377). Undefined where the browser can write none of them.
 */
export function chooseFormat(isTypeSupported: (mime: string) => boolean): RecordingFormat | undefined {
  const find = (extension: RecordingExtension) => MIMES[extension].find((candidate) => isTypeSupported(candidate));
  for (const extension of RECORDING_FORMATS) {
    const mime = find(extension);
    if (mime !== undefined && (extension !== 'webm' || find('ogg') === undefined)) return { mime, extension };
  }
  return undefined;
}

/** The extension of the type that the browser reports, which may differ from the requested one. */
export function readExtension(mime: string): RecordingExtension | undefined {
  const subtype = /^(?:audio|video)\/([a-z0-9-]+)/i.exec(mime)?.[1]?.toLowerCase().replace(/^x-/, '');
  return RECORDING_FORMATS.find((extension) => extension === subtype);
}

/** A recording as it lies on this device, maybe cut off by a crash. Times in ms since 1970, lengths in s and bytes. */
export type StoredRecording = Readonly<
  RecordingFormat & { id: string; owner: string; area: string; startedAt: number; seconds: number; bytes: number }
>;

/** What the screen may want to tell the user (`getMessage` in `texts.ts` has the words). */
export type RecorderNotice =
  | Readonly<{ type: 'started' }>
  | Readonly<{ type: 'stopped'; automatic: boolean }>
  /** Start was pressed again while the microphone is being opened. */
  | Readonly<{ type: 'initialising' }>
  /** `kept`: there is a recording all the same. */
  | Readonly<{ type: 'error'; code: RecorderErrorCode; kept: boolean }>;

export type RecorderSnapshot = Readonly<{
  state: RecorderState;
  /** The open microphone while recording: live recognition listens to the same one. */
  track: MediaStreamTrack | undefined;
  /** Recorded so far. */
  bytes: number;
  /** False where this device cannot keep the chunks: a crash would lose the recording. */
  safe: boolean;
  /** What an earlier page left behind, newest first. */
  recovered: readonly StoredRecording[];
  /** One of `recovered` is being taken up. */
  restoring: boolean;
  /** The finished recording that the next one replaces once that is finished (decision 0256). */
  previous: Recording | undefined;
  /** Microphones to choose from; empty until the microphone was allowed once. */
  inputs: readonly AudioInput[];
}>;

export type RecorderPlace = Readonly<{ owner: string; area: string }>;

export const EMPTY: RecorderSnapshot = {
  state: IDLE,
  track: undefined,
  bytes: 0,
  safe: true,
  recovered: [],
  restoring: false,
  previous: undefined,
  inputs: [],
};
