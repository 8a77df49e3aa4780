import { appendTurn, correctTurn } from '#contract/transcript.ts';
import type { SetWAnswer } from '#contract/voice.ts';
import type { Holder } from '../access/callers.ts';
import type { Clock } from '../clock.ts';
import type { Observation } from '../wire/observed.ts';
import { createWriteMarks } from './write-marks.ts';
import {
  RefusedError,
  type Batch,
  type InterviewRow,
  type LoggedFeedback,
  type LoggedTurn,
  type TurnStore,
} from './store.ts';

/** Keeps everything said in one conversation and brings it to the database, in order and once. */
export type Recorder = Readonly<{
  add: (observation: Observation) => void;
  feedback: (item: LoggedFeedback) => void;
  /** Resolves once everything added so far is in the database; at once where there is no row, or the database fails. */
  written: () => Promise<void>;
  /** From now on (and for what was said so far) this is the interview's row. A second binding is refused. */
  bind: (interview: InterviewRow) => boolean;
  interviewId: () => number | undefined;
  transcript: () => string;
  /** Nothing more will come. Resolves when all is written, or nothing more can be done. */
  finish: () => Promise<void>;
}>;

export type RecorderOptions = Readonly<{
  store: TurnStore;
  holder: Holder;
  conversationId: string;
  interview: InterviewRow | undefined;
  /** The transcript before the first turn: the earlier one where an interview goes on, else ''. */
  start: string;
  transcriptMax: number;
  clock: Clock;
  /** A fact for the log; never a word that was said. */
  onTrouble: (what: 'retry' | 'refused' | 'lost', error: unknown) => void;
}>;

const RETRY_FIRST_MS = 200;
const RETRY_LONGEST_MS = 5_000;
/** After the end of a conversation the database has this long to come back. */
const KEEP_TRYING_MS = 10 * 60_000;
const CONTENT_MAX = 100_000;

export function createRecorder(options: RecorderOptions): Recorder {
  const { store, clock } = options;
  const pending: Pending = { turns: [], feedback: [], wAnswers: {} };
  let interviewId = options.interview?.id;
  let transcript = options.start;
  let written = options.interview?.transcript ?? '';
  /** Sent since then: whether they were written is known only once an answer comes. */
  let attempted: string[] = [];
  let ours = true;
  let position = 0;
  let heardUser = false;
  let writing: Promise<void> | undefined;
  let giveUpAt = Infinity;
  let lost = false;
  const marks = createWriteMarks();
  /** The last attempt failed: nothing said waits for the database until it is back. */
  let failing = false;

  const transcriptChange = (): Batch['transcript'] =>
    // A greeting alone is no interview: an earlier transcript stays until the person has said something.
    ours && heardUser && transcript !== written && transcript.length <= options.transcriptMax
      ? { expected: [written, ...attempted], now: transcript }
      : undefined;

  const nextBatch = (id: number): Batch | undefined => {
    const change = transcriptChange();
    if (isEmpty(pending) && change === undefined) return undefined;
    return {
      interviewId: id,
      conversationId: options.conversationId,
      turns: [...pending.turns],
      feedback: [...pending.feedback],
      wAnswers: pending.wAnswers,
      transcript: change,
    };
  };

  const writeOne = async (batch: Batch): Promise<void> => {
    if (batch.transcript !== undefined) attempted = [...new Set([...attempted, batch.transcript.now])];
    const { transcriptKept } = await store.save(options.holder, batch);
    drop(pending, batch);
    if (batch.transcript !== undefined) written = batch.transcript.now;
    attempted = [];
    ours &&= transcriptKept;
  };

  const writeAll = async (id: number): Promise<void> => {
    let wait = RETRY_FIRST_MS;
    for (let batch = nextBatch(id); batch !== undefined; batch = nextBatch(id)) {
      const mark = marks.latest();
      try {
        await writeOne(batch);
        wait = RETRY_FIRST_MS;
        failing = false;
        marks.settle(mark);
      } catch (error) {
        if (error instanceof RefusedError) {
          options.onTrouble('refused', error);
          drop(pending, batch);
          ours &&= batch.transcript === undefined;
          marks.settle(mark);
          continue;
        }
        failing = true;
        marks.settle(marks.latest());
        if (clock.now() >= giveUpAt) {
          lost = true;
          return options.onTrouble('lost', error);
        }
        options.onTrouble('retry', error);
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
      // Something may have been said between the last look and now.
      if (nextBatch(id) !== undefined) flush();
      else marks.settle(marks.latest());
    });
  };

  const addAnswer = ({ question, answer }: SetWAnswer): void => {
    pending.wAnswers = { ...pending.wAnswers, [question]: answer };
  };

  const addTurn = (turn: Omit<LoggedTurn, 'position'>): void => {
    const text = storable(turn.text);
    if (text === '') return;
    pending.turns.push({ speaker: turn.speaker, text, position: position++ });
    heardUser ||= turn.speaker === 'user';
    transcript = appendTurn(transcript, { speaker: turn.speaker, text });
  };

  return {
    add: (observation) => {
      marks.add();
      if (observation.kind === 'said') addTurn(observation);
      else if (observation.kind === 'w-answer') addAnswer(observation.answer);
      else transcript = correctTurn(transcript, storable(observation.original), storable(observation.corrected));
      flush();
    },
    feedback: (item) => {
      pending.feedback.push(item);
      flush();
    },
    written: () => (interviewId === undefined || failing || lost ? Promise.resolve() : marks.settled()),
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

function drop(pending: Pending, batch: Batch): void {
  pending.turns.splice(0, batch.turns.length);
  pending.feedback.splice(0, batch.feedback.length);
  if (pending.wAnswers === batch.wAnswers) pending.wAnswers = {};
}

/** PostgreSQL's text takes no NUL, and no lone surrogate. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().trim().slice(0, CONTENT_MAX);
}
