import { AnswerTooLongError } from '#http/limited-answer.ts';
import { SERVICE_LIMITS } from '../../service-limits.ts';
import { createBucket } from '../gateway/rate.ts';
import type { Observation } from '../wire/observed.ts';

/** Counts what the hosted service sends in one conversation. Both throw AnswerTooLongError beyond SERVICE_LIMITS. */
export type HostedMeter = Readonly<{
  countFrame: (characters: number, nowMs: number) => void;
  countWords: (seen: Observation | undefined) => void;
}>;

export function createHostedMeter(startMs: number): HostedMeter {
  const { hostedMessagesPerSecond: perSecond, hostedBytes, hostedCharacters } = SERVICE_LIMITS;
  const messages = createBucket(perSecond * 2, perSecond / 1_000, startMs);
  let frames = 0;
  let words = 0;
  return {
    countFrame: (characters, nowMs) => {
      frames += characters;
      if (frames > hostedBytes || !messages.take(1, nowMs)) throw new AnswerTooLongError();
    },
    countWords: (seen) => {
      if (seen?.kind === 'said') words += seen.text.length;
      if (seen?.kind === 'corrected') words += seen.corrected.length;
      if (words > hostedCharacters) throw new AnswerTooLongError();
    },
  };
}
