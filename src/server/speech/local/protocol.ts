import type { SpokenSegment } from '#contract/spoken.ts';
import type { SpeechErrorCode } from '../errors.ts';
import type { ModelKind } from '../models/catalogue.ts';

/** What the server asks of the process that holds the model; each has one answer. */
export type EngineCommand =
  | Readonly<{ kind: 'load'; model: ModelKind; path: string; threads: number }>
  /** Decodes a recording and keeps its samples for `run`. */
  | Readonly<{ kind: 'open'; job: number; file: Uint8Array<ArrayBuffer> }>
  /** Transcribes one of the pieces that `open` cut. */
  | Readonly<{ kind: 'run'; job: number; piece: number; language: string; prompt: string }>
  | Readonly<{ kind: 'close'; job: number }>;

export type EngineRequest = Readonly<{ id: number; command: EngineCommand }>;

/** `ends`: where each piece of the recording ends, in seconds. */
export type OpenedJob = Readonly<{ ends: readonly number[] }>;
/** Times count from the beginning of the recording. */
export type PieceResult = Readonly<{ segments: readonly SpokenSegment[] }>;

export type EngineAnswer = Readonly<{
  id: number;
  /** Main memory of the process. */
  memoryBytes: number;
}> &
  (Readonly<{ value: OpenedJob | PieceResult | null }> | Readonly<{ error: SpeechErrorCode }>);
