import type { MicrophoneErrorCode } from '#web/speech/microphone-error.ts';

/** §8 'Recording errors', each with its own German message in `texts.ts`. */
export type RecorderFault =
  /** 'unsupported' also where the browser has no recorder, or writes none of the formats of §9. */
  | MicrophoneErrorCode
  | 'audio-init'
  | 'start'
  | 'recording'
  | 'stop'
  /** Nothing usable came out of it. */
  | 'processing';
