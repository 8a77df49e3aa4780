import type { SpokenSegment } from '#contract/spoken.ts';
import type { AudioType } from './audio-type.ts';

export type TranscriptionRequest = Readonly<{
  /** The recording as it arrives; an error it throws ends the call and is rethrown. */
  audio: AsyncIterable<Uint8Array>;
  type: AudioType;
  /** ISO 639-1. Called once the audio is read: a form may name the language after the file. */
  language: () => Promise<string>;
  /** The caller's key, used instead of the server's own (D12). */
  ownKey: string | undefined;
  signal: AbortSignal;
}>;

/** `segments` is empty where the service tells no times. */
export type TranscriptionResult = Readonly<{ text: string; segments: readonly SpokenSegment[] }>;

/** Turns speech into text. Throws SpeechError. */
export type TranscriptionEngine = Readonly<{
  transcribe: (request: TranscriptionRequest) => Promise<TranscriptionResult>;
}>;
