import { appendTurn, correctTurn } from '#contract/transcript.ts';
import type { SetWAnswer } from '#contract/voice.ts';
import type { Holder } from '../access/callers.ts';
import type { Clock } from '../clock.ts';
import type { Observation } from '../wire.ts';
import {
  RefusedError,
  type Batch,
  type InterviewRow,
  type LoggedFeedback,
  type LoggedTurn,
  type TurnStore,
} from './store.ts';

export type TurnLogWriterOptions = Readonly<{
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
/** A page saves its transcript a second after the end, without the words that were still being transcribed. */
const PAGE_SAVES_MS = 5_000;

export type TurnLogWriter = Pick<OrderedTurnLogWriter, keyof OrderedTurnLogWriter>;

/** Writes everything said in one conversation to the database, in order and once. */
export class OrderedTurnLogWriter {
  readonly #options: TurnLogWriterOptions;
  readonly #pending: Pending = { turns: [], feedback: [], wAnswers: {} };
  #interviewId: number | undefined;
  #transcript: string;
  #written: string;
  /** The transcript when the conversation ended, as the page may save it. */
  #atEnd: string | undefined;
  /** Late words that the page may still replace. */
  #replaceable = 0;
  /** Transcripts sent since, without an answer yet whether they were written. */
  #attempted: string[] = [];
  #ownsTranscript = true;
  #position = 0;
  #userSpoke = false;
  #writing: Promise<void> | undefined;
  #giveUpAt = Infinity;
  #lost = false;
  readonly #marks = createWriteMarks();
  /** The last write failed: turns do not wait for the database until it is back. */
  #failing = false;

  constructor(options: TurnLogWriterOptions) {
    this.#options = options;
    this.#interviewId = options.interview?.id;
    this.#transcript = options.start;
    this.#written = options.interview?.transcript ?? '';
  }

  readonly add = (observation: Observation): void => {
    this.#marks.add();
    if (observation.kind === 'said') this.#addTurn(observation);
    else if (observation.kind === 'w-answer') this.#addAnswer(observation.answer);
    else {
      const { original, corrected } = observation;
      this.#transcript = correctTurn(this.#transcript, toStorableText(original), toStorableText(corrected));
    }
    this.#flush();
  };

  readonly feedback = (item: LoggedFeedback): void => {
    this.#pending.feedback.push(item);
    this.#flush();
  };

  /** Resolves once everything added so far is written; at once without a row or while the database fails. */
  readonly written = (): Promise<void> =>
    this.#interviewId === undefined || this.#failing || this.#lost ? Promise.resolve() : this.#marks.whenResolved();

  /** Sets the interview's row, also for the turns so far. False for a second row. */
  readonly bind = (interview: InterviewRow): boolean => {
    if (this.#interviewId !== undefined) return this.#interviewId === interview.id;
    this.#interviewId = interview.id;
    this.#written = interview.transcript;
    this.#flush();
    return true;
  };

  readonly isOf = (interviewId: number): boolean => this.#interviewId === interviewId;

  /** Ends the log. Resolves when all is written or given up. */
  readonly finish = async (): Promise<void> => {
    this.#giveUpAt = this.#options.clock.now() + KEEP_TRYING_MS;
    this.#atEnd ??= this.#transcript;
    // A server that stops finishes a second time; what replaced the late words after the pause is the person's own.
    if (this.#replaceable > 0) this.#writeAgain();
    else this.#flush();
    while (this.#writing !== undefined) await this.#writing;
  };

  #getTranscriptChange(): Batch['transcript'] {
    // A greeting alone is no interview: an earlier transcript stays until the person speaks.
    return this.#ownsTranscript &&
      this.#userSpoke &&
      this.#transcript !== this.#written &&
      this.#transcript.length <= this.#options.transcriptMax
      ? { expected: [this.#written, ...this.#attempted, this.#atEnd ?? this.#written], now: this.#transcript }
      : undefined;
  }

  #nextBatch(id: number): Batch | undefined {
    const change = this.#getTranscriptChange();
    if (isEmpty(this.#pending) && change === undefined) return undefined;
    return {
      interviewId: id,
      conversationId: this.#options.conversationId,
      ...copyPending(this.#pending),
      transcript: change,
    };
  }

  async #writeOne(batch: Batch): Promise<void> {
    if (batch.transcript !== undefined) this.#attempted = [...new Set([...this.#attempted, batch.transcript.now])];
    const { transcriptKept } = await this.#options.store.save(this.#options.holder, batch);
    drop(this.#pending, batch);
    if (batch.transcript !== undefined) this.#written = batch.transcript.now;
    this.#attempted = [];
    this.#ownsTranscript &&= transcriptKept;
  }

  async #writeAll(id: number): Promise<void> {
    let wait = RETRY_FIRST_MS;
    for (let batch = this.#nextBatch(id); batch !== undefined; batch = this.#nextBatch(id)) {
      const mark = this.#marks.latest();
      try {
        await this.#writeOne(batch);
        wait = RETRY_FIRST_MS;
        this.#failing = false;
        this.#marks.resolveUpTo(mark);
      } catch (error) {
        if (error instanceof RefusedError) {
          this.#options.onError('refused', error);
          drop(this.#pending, batch);
          this.#ownsTranscript &&= batch.transcript === undefined;
          this.#marks.resolveUpTo(mark);
          continue;
        }
        this.#failing = true;
        this.#marks.resolveUpTo(this.#marks.latest());
        if (this.#options.clock.now() >= this.#giveUpAt) {
          this.#lost = true;
          return this.#options.onError('lost', error);
        }
        this.#options.onError('retry', error);
        await new Promise<void>((resolve) => void this.#options.clock.after(wait, resolve));
        wait = Math.min(wait * 2, RETRY_LONGEST_MS);
      }
    }
  }

  #flush(): void {
    if (this.#writing !== undefined || this.#interviewId === undefined || this.#lost) return;
    const id = this.#interviewId;
    this.#writing = this.#writeAll(id).finally(() => {
      this.#writing = undefined;
      // A turn may have been added since the last batch.
      if (this.#nextBatch(id) !== undefined) this.#flush();
      else this.#marks.resolveUpTo(this.#marks.latest());
    });
  }

  #addAnswer({ question, answer }: SetWAnswer): void {
    this.#pending.wAnswers = { ...this.#pending.wAnswers, [question]: answer };
  }

  #addTurn(turn: Omit<LoggedTurn, 'position'>): void {
    const text = toStorableText(turn.text);
    if (text === '') return;
    this.#pending.turns.push({ speaker: turn.speaker, text, position: this.#position++ });
    this.#userSpoke ||= turn.speaker === 'user';
    this.#transcript = appendTurn(this.#transcript, { speaker: turn.speaker, text });
    if (this.#atEnd === undefined) return;
    this.#replaceable += 1;
    this.#options.clock.after(PAGE_SAVES_MS, () => {
      this.#replaceable -= 1;
      this.#writeAgain();
    });
  }

  /** The page may have replaced the late words by what it had at the end. What is not written yet is written anyway. */
  #writeAgain(): void {
    if (this.#written === this.#transcript) this.#written = this.#atEnd ?? this.#written;
    this.#flush();
  }
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

/** Counts pending writes and reports when they are done. */
function createWriteMarks() {
  let added = 0;
  let done = 0;
  let waiting: { mark: number; resolve: () => void }[] = [];
  return {
    /** Adds a pending write. */
    add: (): void => void (added += 1),
    /** The mark of the newest pending write. */
    latest: (): number => added,
    /** Marks all writes up to this one as done, or as given up. */
    resolveUpTo: (mark: number): void => {
      done = Math.max(done, mark);
      for (const { resolve } of waiting.filter((one) => one.mark <= done)) resolve();
      waiting = waiting.filter((one) => one.mark > done);
    },
    /** Resolves when all writes so far are done. */
    whenResolved: (): Promise<void> =>
      done >= added ? Promise.resolve() : new Promise((resolve) => waiting.push({ mark: added, resolve })),
  };
}
