import type { Turn } from '#contract/transcript.ts';
import type { WQuestion } from '#contract/voice.ts';
import type { Holder } from '../access/callers.ts';

/** One row of the turn log (D16). `position` counts from 0 within the conversation. */
export type LoggedTurn = Turn & Readonly<{ position: number }>;
export type LoggedFeedback = Readonly<{ eventId: number; score: 'like' | 'dislike' }>;

/** What one write brings to the database, all or nothing. */
export type Batch = Readonly<{
  interviewId: number;
  conversationId: string;
  turns: readonly LoggedTurn[];
  feedback: readonly LoggedFeedback[];
  wAnswers: Readonly<Partial<Record<WQuestion, string>>>;
  /** The transcript now, and those which are this conversation's own doing; undefined leaves the column alone. */
  transcript: Readonly<{ expected: readonly string[]; now: string }> | undefined;
}>;

export type InterviewRow = Readonly<{ id: number; transcript: string }>;
export type Interview = InterviewRow & Readonly<{ turns: readonly Turn[] }>;

/** Data of interviews, always as the holder of the conversation: what may be read and written, PostgreSQL decides. */
export type TurnStore = Readonly<{
  /** The interview with its earlier turns, if the caller may write it. */
  open: (holder: Holder, interviewId: number) => Promise<Interview | undefined>;
  /** The caller's role (§6); undefined without one, and where its second factor is missing. */
  roleOf: (holder: Holder, userId: string) => Promise<string | undefined>;
  /** Writing the same batch twice changes nothing. `transcriptKept` is false where somebody else had changed it. */
  save: (holder: Holder, batch: Batch) => Promise<{ transcriptKept: boolean }>;
}>;

/** The database understood and said no: trying again is pointless. `code` is PostgreSQL's. */
export class RefusedError extends Error {
  readonly code: string;
  constructor(code: string, options?: ErrorOptions) {
    super(`refused: ${code}`, options);
    this.name = 'RefusedError';
    this.code = code;
  }
}

/** Turns read for an interview that goes on. */
export const EARLIER_TURNS = 200;
