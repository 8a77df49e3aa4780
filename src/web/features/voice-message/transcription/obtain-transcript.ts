import type { SpokenSegment } from '#contract/spoken.ts';
import type { TranscriptionError, TranscriptionResult } from './result.ts';

export type TranscriptOutcome =
  | Readonly<{
      ok: true;
      text: string;
      segments: readonly SpokenSegment[];
      source: 'service' | 'recognition';
      /** Why it is not the service's, where one was asked. */
      serviceError?: TranscriptionError;
    }>
  | Readonly<{ ok: false; error: TranscriptionError }>;

export type TranscriptSources = Readonly<{
  /** Asks the service; undefined where none is configured. */
  service: (() => Promise<TranscriptionResult>) | undefined;
  /** What the browser understood while recording; '' where it could not. */
  recognised: () => Promise<string>;
}>;

/**
 * speech.md: configured service → browser recognition running along → the specified error. The recording is not touched
 * (D21).
 */
export async function obtainTranscript({ service, recognised }: TranscriptSources): Promise<TranscriptOutcome> {
  const answer: TranscriptionResult = (await service?.()) ?? { ok: false, error: { kind: 'unavailable' } };
  if (answer.ok) return { ...answer, source: 'service' };
  if (answer.error.kind === 'aborted') return answer;
  const text = (await recognised()).trim();
  if (text === '') return answer;
  return {
    ok: true,
    text,
    segments: [],
    source: 'recognition',
    ...(service === undefined ? {} : { serviceError: answer.error }),
  };
}
