import type { SetWAnswer } from '#contract/voice.ts';

/** What the interviewer does next. */
export type Part =
  | Readonly<{ kind: 'say'; sentence: string }>
  | Readonly<{ kind: 'w-answer'; answer: SetWAnswer }>
  /** The interview is over once everything before was heard. 'gone': unless the person says something after all. */
  | Readonly<{ kind: 'end'; because: 'finished' | 'gone' }>;

/** Decides what is asked. Knows nothing of audio, sockets or databases. */
export type Brain = Readonly<{
  /** The first turn; for an interview that goes on, the next one. */
  open: (signal: AbortSignal) => AsyncIterable<Part> | Iterable<Part>;
  /** What follows an answer, as it comes. Ends early, without an error, when the signal fires. */
  reply: (answer: string, signal: AbortSignal) => AsyncIterable<Part>;
  /** The last reply was never said: as if its answer had not been given. */
  retract: () => void;
  /** Nobody has said anything for a while. */
  reprompt: () => readonly Part[];
  /** Something to know, that nobody has said. */
  note: (text: string) => void;
}>;
