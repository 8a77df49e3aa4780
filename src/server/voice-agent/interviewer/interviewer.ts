import type { SetWAnswer } from '#contract/voice.ts';

/** One thing the interviewer does. */
export type InterviewerAction =
  | Readonly<{ kind: 'say'; sentence: string }>
  | Readonly<{ kind: 'w-answer'; answer: SetWAnswer }>
  /** Ends the interview once everything before was heard. 'unresponsive': unless the person speaks after all. */
  | Readonly<{ kind: 'end'; reason: 'finished' | 'unresponsive' }>;

/** Decides what to ask, without knowledge of audio, sockets or databases. */
export type Interviewer = Readonly<{
  /** The first turn, or the next one of a resumed interview. */
  open: (signal: AbortSignal) => AsyncIterable<InterviewerAction> | Iterable<InterviewerAction>;
  /** The reply to an answer, as it is made. Ends early, without an error, when the signal fires. */
  reply: (answer: string, signal: AbortSignal) => AsyncIterable<InterviewerAction>;
  /** Takes back the last answer, whose reply was never heard. */
  retract: () => void;
  /** Asks again after a silence, `before` times already since the last answer. */
  reprompt: (before: number) => readonly InterviewerAction[];
  /** Only the last question, as it was asked. */
  repeat: () => readonly InterviewerAction[];
  /** Adds background that was not spoken. */
  note: (text: string) => void;
}>;
