import type { SpokenSegment } from '#contract/spoken.ts';
import type { AudioType } from './audio-type.ts';

export type TranscriptionRequest = Readonly<{
  /** As it arrives; an error it throws ends the call and is thrown on. */
  audio: AsyncIterable<Uint8Array>;
  type: AudioType;
  /** Asked once the audio is read: a form may name the language after the file. ISO 639-1. */
  language: () => Promise<string>;
  /** D12: the caller's key, used instead of the server's own. */
  ownKey: string | undefined;
  signal: AbortSignal;
}>;

/** `segments`: none where the service tells no times. */
export type Spoken = Readonly<{ text: string; segments: readonly SpokenSegment[] }>;

/** Something that turns speech into text. Throws SpeechError. */
export type TranscriptionEngine = Readonly<{ transcribe: (request: TranscriptionRequest) => Promise<Spoken> }>;
