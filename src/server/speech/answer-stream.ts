import { PassThrough } from 'node:stream';
import type { AudioProgress, TranscriptionResult } from './engine.ts';
import { buildErrorBody, type SpeechError } from './errors.ts';

/** A job that waits shows that it is alive; the caller's 60 s of §9 count from the last event. */
const QUEUE_REPEAT_MS = 15_000;

type Event = Readonly<{ type: string }> & Readonly<Record<string, unknown>>;

/**
 * The answer as OpenAI's server-sent events (`transcript.text.delta`, `transcript.text.done`). What the engine reports
 * to the callbacks becomes events once the form has asked for them. Callers that ask for `progress` get the queue and
 * the audio time as events; for all others they are comments, which every reader of event streams skips (decision
 * 0231).
 */
export function createAnswerStream(repeatMs = QUEUE_REPEAT_MS) {
  const events = createEventWriter();
  const form = createFormChoice();
  let hasText = false;
  const writeDelta = (delta: string): void => {
    if (delta === '') return;
    hasText = true;
    events.write({ type: 'transcript.text.delta', delta });
  };
  const report = (step: (writeProgress: (event: Event, comment: string) => void) => void): void =>
    form.onceRequested(({ progress }) => {
      events.stopRepeat();
      step((event, comment) => (progress ? events.write(event) : events.writePiece(`: ${comment}`)));
    });
  return {
    callbacks: {
      onText: (delta: string): void => report(() => writeDelta(delta)),
      onProgress: (progress: AudioProgress): void =>
        report((writeProgress) => writeProgress(...describeProgress(progress))),
      onQueue: (place: number): void => {
        const event = { type: 'transcript.queued', place };
        report((writeProgress) => events.repeat(() => writeProgress(event, `place ${place}`), repeatMs));
      },
    },
    decide: form.decide,
    isRequested: form.isRequested,
    begun: events.begun,
    body: events.body,
    finish: ({ text, segments }: TranscriptionResult, wanted: 'with-segments' | 'text-only'): void => {
      // Some clients read only the pieces.
      if (!hasText) writeDelta(text);
      events.write({ type: 'transcript.text.done', text, ...(wanted === 'with-segments' ? { segments } : {}) });
      events.end();
    },
    fail: (error: SpeechError): void => {
      events.writePiece(`event: error\ndata: ${JSON.stringify(buildErrorBody(error))}`);
      events.end();
    },
  };
}

export type AnswerStream = ReturnType<typeof createAnswerStream>;

/** As an event, and as a comment. */
function describeProgress({ doneS, totalS }: AudioProgress): [Event, string] {
  const event = { type: 'transcript.progress', done_seconds: doneS, total_seconds: totalS };
  return [event, `${doneS} of ${totalS} s`];
}

/** The body of the answer. What was written last may be repeated, so that the caller sees that it waits. */
function createEventWriter() {
  const body = new PassThrough();
  const begun = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const stopRepeat = (): void => clearInterval(timer);
  body.once('close', stopRepeat);
  const writePiece = (piece: string): void => {
    if (!body.destroyed) body.write(`${piece}\n\n`);
    begun.resolve();
  };
  return {
    body,
    /** Resolves with the first event; until then an error is an ordinary answer with its status. */
    begun: begun.promise,
    writePiece,
    write: (event: Event): void => writePiece(`data: ${JSON.stringify(event)}`),
    repeat: (show: () => void, everyMs: number): void => {
      show();
      timer = setInterval(show, everyMs).unref();
    },
    stopRepeat,
    end: (): void => {
      stopRepeat();
      body.end();
    },
  };
}

/** `progress`: also this server's own events. */
type Wanted = Readonly<{ progress: boolean }>;

/** What the form asks for. Its fields may come after its file: steps wait, and are dropped if it asks for nothing. */
function createFormChoice() {
  let requested: Wanted | undefined;
  let early: ((wanted: Wanted) => void)[] | undefined = [];
  return {
    isRequested: (): boolean => requested !== undefined,
    /** The choice of the form; undefined where the caller wants one answer. */
    decide: (wanted: Wanted | undefined): void => {
      requested = wanted;
      if (wanted !== undefined) for (const step of early ?? []) step(wanted);
      early = undefined;
    },
    onceRequested: (step: (wanted: Wanted) => void): void => {
      if (requested !== undefined) step(requested);
      else early?.push(step);
    },
  };
}
