import { z } from 'zod';
import type { AreaId, Topic } from '#contract/areas.ts';
import { parseJson } from '#web/backend/parse-json.ts';
import { tryToStore, watchClearing } from '#web/backend/browser-storage.ts';
import { parseTurns } from '#contract/transcript.ts';
import type { useSubmission } from '#web/submission/use-submission.ts';
import { addAnswers, NO_ANSWERS } from './conversation/answers.ts';

const WordsSchema = z.array(z.string()).readonly();

const KeptInterviewSchema = z.object({
  way: z.enum(['voice', 'typing']),
  transcript: z.string(),
  interviewId: z.string().optional(),
  /** Typed answers that are not in the transcript. */
  answers: z.object({ text: z.string(), unconfirmed: WordsSchema, returned: WordsSchema }).readonly().optional(),
  /** A correction of the transcript that is not saved. */
  draft: z.string().optional(),
  ended: z.boolean().default(false),
  /** Whether the row has the transcript. */
  saved: z.boolean().default(false),
  /** Length of its conversations. */
  lengthMs: z.number().default(0),
});

/** An interview that is not handed in, so that a page offers it again after a reload or a way back. */
export type KeptInterview = z.infer<typeof KeptInterviewSchema>;

export type KeptInterviewStore = ReturnType<typeof createKeptInterviewStore>;

/**
 * Stores one interview per area and topic for the life of the tab. `submission`: an ended interview counts until it is
 * handed in or another contribution is begun (decision 0363).
 */
export function createKeptInterviewStore(area: AreaId, topic: Topic, submission: Submission) {
  const key = `interview:${area}:${topic}`;
  const isCurrent = watchClearing();
  const find = (): KeptInterview | undefined =>
    KeptInterviewSchema.safeParse(parseJson(sessionStorage.getItem(key) ?? '')).data;
  const write = (interview: KeptInterview): void => {
    tryToStore(sessionStorage, key, JSON.stringify(interview));
  };
  return {
    read: (): KeptInterview | undefined => {
      const kept = find();
      if (kept === undefined) return undefined;
      const interview = withLatestText(kept, submission);
      if (!interview.ended || isAtHand(interview, submission)) return interview;
      sessionStorage.removeItem(key);
      return undefined;
    },
    /** Ignores an interview without an answer: a greeting alone is not worth resuming. */
    save: (interview: KeptInterview): void => {
      if (isCurrent() && hasAnswer(addAnswers(interview.transcript, interview.answers ?? NO_ANSWERS))) write(interview);
    },
    /** Adds the id where it came only after the screen was left. */
    keepId: (interviewId: string): void => {
      const kept = find();
      if (isCurrent() && kept?.interviewId === undefined && kept !== undefined) write({ ...kept, interviewId });
    },
  };
}

type Submission = Pick<ReturnType<typeof useSubmission>, 'store' | 'exchangeIfKnown'>;

/** Whether the person has said something in it. */
export function hasAnswer(transcript: string): boolean {
  return parseTurns(transcript).some((turn) => turn.speaker === 'user');
}

/** An interview that ended before its row was there has no id yet. */
function isAtHand({ interviewId }: KeptInterview, { store }: Submission): boolean {
  return interviewId === undefined || interviewId === store.interviewId();
}

/** The text may have been corrected on the transcript's own screen or completed on leaving, its local id exchanged. */
function withLatestText(kept: KeptInterview, { store, exchangeIfKnown }: Submission): KeptInterview {
  if (kept.interviewId === undefined) return kept;
  const interviewId = exchangeIfKnown(kept.interviewId);
  const latest = store.transcript(interviewId) ?? '';
  if (latest.trim() === '' || latest === kept.transcript) return { ...kept, interviewId };
  return { ...kept, interviewId, transcript: latest, draft: undefined, answers: undefined, saved: false };
}
