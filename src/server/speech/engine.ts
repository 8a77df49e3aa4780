import { Readable } from 'node:stream';
import { TRANSCRIPTION_LANGUAGE } from '#contract/limits.ts';
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
  /** Aborts the job, in the queue or at work: the caller disconnected or cancelled. */
  signal: AbortSignal;
  /** Who asks, as `access.ts` counts: one caller never fills the queue. */
  caller?: string | undefined;
  /** A turn of a conversation goes before recordings. */
  priority?: 'turn' | 'recording';
  /** Names and terms that are likely to be spoken, for models that take them; called once the audio is read. */
  prompt?: () => Promise<string | undefined>;
  /** Whether the caller reads the text piece by piece; called once the audio is read. */
  streams?: () => Promise<boolean>;
  /** A piece of the text as soon as it is understood; all pieces together are the text. */
  onText?: (delta: string) => void;
  onProgress?: (progress: AudioProgress) => void;
  /** The place in the queue, 1 being next; called again when it changes. */
  onQueue?: (place: number) => void;
}>;

/** Seconds of audio; an engine calls it at least every 10 s while it works, also without a change (§9). */
export type AudioProgress = Readonly<{ doneS: number; totalS: number }>;

/** `segments` is empty and `durationS` undefined where the service tells no times. */
export type TranscriptionResult = Readonly<{ text: string; segments: readonly SpokenSegment[]; durationS?: number }>;

/** Turns speech into text. Throws SpeechError. */
export type TranscriptionEngine = Readonly<{
  transcribe: (request: TranscriptionRequest) => Promise<TranscriptionResult>;
}>;

/** Transcribes a WAV file of this server's own. Throws SpeechError. */
export function transcribeWav(
  engine: TranscriptionEngine,
  wav: Uint8Array,
  options: Pick<TranscriptionRequest, 'signal' | 'caller' | 'priority' | 'prompt'>,
): Promise<TranscriptionResult> {
  return engine.transcribe({
    audio: Readable.from([wav]),
    type: 'wav',
    language: async () => TRANSCRIPTION_LANGUAGE,
    ownKey: undefined,
    ...options,
  });
}
