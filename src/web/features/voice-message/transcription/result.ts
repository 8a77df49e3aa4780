import type { SpokenSegment } from '#contract/spoken.ts';

/** Why there is no transcript. */
export type TranscriptionErrorKind =
  /** The server has no transcription service (D21). */
  | 'unavailable'
  /** The service has no key, or does not accept it. */
  | 'missing-key'
  | 'timeout'
  | 'network'
  /** The service answered with an error, perhaps with its own words. */
  | 'service'
  | 'too-large'
  | 'unsupported'
  /** The server does not let this caller transcribe (any more). */
  | 'rejected'
  /** Nothing was said that could be understood. */
  | 'empty'
  /** The user went on without waiting. */
  | 'aborted';

export type TranscriptionError = Readonly<{
  kind: TranscriptionErrorKind;
  /** The service's own words (§7 'errors are read from error.message'). */
  message?: string | undefined;
  status?: number | undefined;
  statusText?: string | undefined;
  /** Seconds to wait before another try makes sense. */
  retryAfterS?: number | undefined;
}>;

export type TranscriptionResult =
  /** `segments`: where in the recording, if the service says so. */
  | Readonly<{ ok: true; text: string; segments: readonly SpokenSegment[] }>
  | Readonly<{ ok: false; error: TranscriptionError }>;
