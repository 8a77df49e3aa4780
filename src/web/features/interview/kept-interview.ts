import { z } from 'zod';
import type { AreaId, Topic } from '#contract/areas.ts';
import { watchClearing } from '#web/backend/browser-storage.ts';
import { parseTurns } from '#contract/transcript.ts';

const KeptInterviewSchema = z.object({
  way: z.enum(['voice', 'typing']),
  transcript: z.string(),
  interviewId: z.string().optional(),
});

/** An interview that was not ended, so that a page offers it again after a reload. */
export type KeptInterview = z.infer<typeof KeptInterviewSchema>;

/** Stores one interview per area and topic for the life of the tab. */
export type KeptInterviewStore = Readonly<{
  read: () => KeptInterview | undefined;
  /** Ignores an interview without an answer: a greeting alone is not worth resuming. */
  save: (interview: KeptInterview) => void;
  clear: () => void;
}>;

export function createKeptInterviewStore(area: AreaId, topic: Topic): KeptInterviewStore {
  const key = `interview:${area}:${topic}`;
  const isCurrent = watchClearing();
  return {
    read: () => {
      const kept = KeptInterviewSchema.safeParse(parseJson(sessionStorage.getItem(key)));
      return kept.success ? kept.data : undefined;
    },
    save: (interview) => {
      if (!isCurrent() || !parseTurns(interview.transcript).some((turn) => turn.speaker === 'user')) return;
      try {
        sessionStorage.setItem(key, JSON.stringify(interview));
      } catch (error) {
        console.warn('interview: not stored', error instanceof Error ? error.name : '');
      }
    },
    clear: () => sessionStorage.removeItem(key),
  };
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
