import { appendTurn, correctTurn } from '#contract/transcript.ts';
import type { SetWAnswer } from '#contract/voice.ts';
import type { Holder } from '../access/callers.ts';
import type { Clock } from '../clock.ts';
import type { Observation } from '../wire/observation.ts';
import { createWriteMarks } from './write-marks.ts';
import {
  RefusedError,
  type Batch,
  type InterviewRow,
  type LoggedFeedback,
  type LoggedTurn,
  type TurnStore,
} from './store.ts';

/** Writes everything said in one conversation to the database, in order and once. */
export type TurnRecorder = Readonly<{
  add: (observation: Observation) => void;
  feedback: (item: LoggedFeedback) => void;
  /** Resolves once everything added so far is written; at once without a row or while the database fails. */
  written: () => Promise<void>;
  /** Sets the interview's row, also for the turns so far. False for a second row. */
  bind: (interview: InterviewRow) => boolean;
  interviewId: () => number | undefined;
  transcript: () => string;
  /** Ends the recording. Resolves when all is written or given up. */
  finish: () => Promise<void>;
}>;

export type TurnRecorderOptions = Readonly<{
  store: TurnStore;
  holder: Holder;
  conversationId: string;
  interview: InterviewRow | undefined;
  /** The transcript before the first turn: that of a resumed interview, else ''. */
  start: string;
  transcriptMax: number;
  clock: Clock;
  /** Reports an error for the log, without spoken words. */
  onError: (outcome: 'retry' | 'refused' | 'lost', error: unknown) => void;
}>;

const RETRY_FIRST_MS = 200;
const RETRY_LONGEST_MS = 5_000;
/** Time for the database to come back after the end of a conversation. */
const KEEP_TRYING_MS = 10 * 60_000;
const CONTENT_MAX = 100_000;

export function createTurnRecorder(options: TurnRecorderOptions): TurnRecorder {
  const { store, clock } = options;
  const pending: Pending = { turns: [], feedback: [], wAnswers: {} };
  let interviewId = options.interview?.id;
  let transcript = options.start;
  let written = options.interview?.transcript ?? '';
  /** Transcripts sent since, without an answer yet whether they were written. */
  let attempted: string[] = [];
  let ownsTranscript = true;
  let position = 0;
  let userSpoke = false;
  let writing: Promise<void> | undefined;
  let giveUpAt = Infinity;
  let lost = false;
  const marks = createWriteMarks();
  /** The last write failed: turns do not wait for the database until it is back. */
  let failing = false;

  const getTranscriptChange = (): Batch['transcript'] =>
    // A greeting alone is no interview: an earlier transcript stays until the person speaks.
    ownsTranscript && userSpoke && transcript !== written && transcript.length <= options.transcriptMax
      ? { expected: [written, ...attempted], now: transcript }
      : undefined;

  const nextBatch = (id: number): Batch | undefined => {
    const change = getTranscriptChange();
    if (isEmpty(pending) && change === undefined) return undefined;
    return {
      interviewId: id,
      conversationId: options.conversationId,
      ...copyPending(pending),
      transcript: change,
    };
  };

  const writeOne = async (batch: Batch): Promise<void> => {
    if (batch.transcript !== undefined) attempted = [...new Set([...attempted, batch.transcript.now])];
    const { transcriptKept } = await store.save(options.holder, batch);
    drop(pending, batch);
    if (batch.transcript !== undefined) written = batch.transcript.now;
    attempted = [];
    ownsTranscript &&= transcriptKept;
  };

  const writeAll = async (id: number): Promise<void> => {
    let wait = RETRY_FIRST_MS;
    for (let batch = nextBatch(id); batch !== undefined; batch = nextBatch(id)) {
      const mark = marks.latest();
      try {
        await writeOne(batch);
        wait = RETRY_FIRST_MS;
        failing = false;
        marks.resolveUpTo(mark);
      } catch (error) {
        if (error instanceof RefusedError) {
          options.onError('refused', error);
          drop(pending, batch);
          ownsTranscript &&= batch.transcript === undefined;
          marks.resolveUpTo(mark);
          continue;
        }
        failing = true;
        marks.resolveUpTo(marks.latest());
        if (clock.now() >= giveUpAt) {
          lost = true;
          return options.onError('lost', error);
        }
        options.onError('retry', error);
        await new Promise<void>((resolve) => void clock.after(wait, resolve));
        wait = Math.min(wait * 2, RETRY_LONGEST_MS);
      }
    }
  };

  const flush = (): void => {
    if (writing !== undefined || interviewId === undefined || lost) return;
    const id = interviewId;
    writing = writeAll(id).finally(() => {
      writing = undefined;
      // A turn may have been added since the last batch.
      if (nextBatch(id) !== undefined) flush();
      else marks.resolveUpTo(marks.latest());
    });
  };

  const addAnswer = ({ question, answer }: SetWAnswer): void => {
    pending.wAnswers = { ...pending.wAnswers, [question]: answer };
  };

  const addTurn = (turn: Omit<LoggedTurn, 'position'>): void => {
    const text = toStorableText(turn.text);
    if (text === '') return;
    pending.turns.push({ speaker: turn.speaker, text, position: position++ });
    userSpoke ||= turn.speaker === 'user';
    transcript = appendTurn(transcript, { speaker: turn.speaker, text });
  };

  return {
    add: (observation) => {
      marks.add();
      if (observation.kind === 'said') addTurn(observation);
      else if (observation.kind === 'w-answer') addAnswer(observation.answer);
      else
        transcript = correctTurn(
          transcript,
          toStorableText(observation.original),
          toStorableText(observation.corrected),
        );
      flush();
    },
    feedback: (item) => {
      pending.feedback.push(item);
      flush();
    },
    written: () => (interviewId === undefined || failing || lost ? Promise.resolve() : marks.whenResolved()),
    bind: (interview) => {
      if (interviewId !== undefined) return interviewId === interview.id;
      interviewId = interview.id;
      written = interview.transcript;
      flush();
      return true;
    },
    interviewId: () => interviewId,
    transcript: () => transcript,
    finish: async () => {
      giveUpAt = clock.now() + KEEP_TRYING_MS;
      flush();
      while (writing !== undefined) await writing;
    },
  };
}

type Pending = { turns: LoggedTurn[]; feedback: LoggedFeedback[]; wAnswers: Batch['wAnswers'] };

function isEmpty({ turns, feedback, wAnswers }: Pending): boolean {
  return turns.length + feedback.length + Object.keys(wAnswers).length === 0;
}

function copyPending({ turns, feedback, wAnswers }: Pending): Pending {
  return { turns: [...turns], feedback: [...feedback], wAnswers };
}

function drop(pending: Pending, batch: Batch): void {
  pending.turns.splice(0, batch.turns.length);
  pending.feedback.splice(0, batch.feedback.length);
  if (pending.wAnswers === batch.wAnswers) pending.wAnswers = {};
}

/** PostgreSQL's text takes no NUL, and no lone surrogate. */
function toStorableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().trim().slice(0, CONTENT_MAX);
}
