import { z } from 'zod';
import type { AreaId } from '#contract/areas.ts';
import type { Topic } from '#contract/topics.ts';
import { turnsOf } from '#contract/transcript.ts';

const KeptInterviewSchema = z.object({
  way: z.enum(['voice', 'typing']),
  transcript: z.string(),
  interviewId: z.string().optional(),
});

/** An interview that has not been ended: what a page needs to offer it again after a reload. */
export type KeptInterview = z.infer<typeof KeptInterviewSchema>;

/** One an area and topic, for as long as the tab lives. */
export type InterviewKeeper = Readonly<{
  read: () => KeptInterview | undefined;
  /** Only once the person has said something: a greeting alone is nothing to go on with. */
  keep: (interview: KeptInterview) => void;
  forget: () => void;
}>;

export function interviewKeeper(area: AreaId, topic: Topic): InterviewKeeper {
  const key = `interview:${area}:${topic}`;
  return {
    read: () => {
      const kept = KeptInterviewSchema.safeParse(parsed(sessionStorage.getItem(key)));
      return kept.success ? kept.data : undefined;
    },
    keep: (interview) => {
      if (!turnsOf(interview.transcript).some((turn) => turn.speaker === 'user')) return;
      try {
        sessionStorage.setItem(key, JSON.stringify(interview));
      } catch (error) {
        console.warn('interview: not kept', error instanceof Error ? error.name : '');
      }
    },
    forget: () => sessionStorage.removeItem(key),
  };
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
