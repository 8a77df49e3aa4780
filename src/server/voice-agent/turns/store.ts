import type { Turn } from '#contract/transcript.ts';
import type { WQuestion } from '#contract/voice.ts';
import type { Holder } from '../access/callers.ts';

/** One row of the turn log (D16). `position` counts from 0 within the conversation. */
export type LoggedTurn = Turn & Readonly<{ position: number }>;
export type LoggedFeedback = Readonly<{ eventId: number; score: 'like' | 'dislike' }>;

/** One write to the database, all or nothing. */
export type Batch = Readonly<{
  interviewId: number;
  conversationId: string;
  turns: readonly LoggedTurn[];
  feedback: readonly LoggedFeedback[];
  wAnswers: Readonly<Partial<Record<WQuestion, string>>>;
  /** The new transcript and those this conversation wrote before; undefined leaves the column alone. */
  transcript: Readonly<{ expected: readonly string[]; now: string }> | undefined;
}>;

export type InterviewRow = Readonly<{ id: number; transcript: string }>;
export type Interview = InterviewRow & Readonly<{ turns: readonly Turn[] }>;

/** Reads and writes interviews in the name of the conversation's holder; PostgreSQL decides the rights. */
export type TurnStore = Readonly<{
  /** The interview with its earlier turns; undefined where the caller may not write it. */
  open: (holder: Holder, interviewId: number) => Promise<Interview | undefined>;
  /** The caller's role (§6); undefined without one, and where its second factor is missing. */
  getRole: (holder: Holder, userId: string) => Promise<string | undefined>;
  /** Writing the same batch twice changes nothing. `transcriptKept` is false where another writer had changed it. */
  save: (holder: Holder, batch: Batch) => Promise<{ transcriptKept: boolean }>;
}>;

/** The database refused a write for good. `code` is PostgreSQL's, or the HTTP status of a hosted project. */
export class RefusedError extends Error {
  readonly code: string;
  constructor(code: string, options?: ErrorOptions) {
    super(`refused: ${code}`, options);
    this.name = 'RefusedError';
    this.code = code;
  }
}

/** Turns read for a resumed interview. */
export const EARLIER_TURNS = 200;
