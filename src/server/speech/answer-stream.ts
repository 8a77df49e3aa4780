import { PassThrough, type Readable } from 'node:stream';
import type { TranscriptionRequest, TranscriptionResult } from './engine.ts';
import { buildErrorBody, type SpeechError } from './errors.ts';

/** The answer as OpenAI's server-sent events (`transcript.text.delta`, `transcript.text.done`). */
export type AnswerStream = Readonly<{
  /** What the engine reports becomes events, once the form has asked for them. */
  callbacks: Required<Pick<TranscriptionRequest, 'onText' | 'onProgress' | 'onQueue'>>;
  /**
   * The choice of the form; undefined where the caller wants one answer, with `progress` also this server's own
   * events.
   */
  decide: (options: Readonly<{ progress: boolean }> | undefined) => void;
  isRequested: () => boolean;
  /** Resolves with the first event; until then an error is an ordinary answer with its status. */
  begun: Promise<void>;
  body: Readable;
  finish: (result: TranscriptionResult, segments: 'with-segments' | 'text-only') => void;
  fail: (error: SpeechError) => void;
}>;

/** A job that waits shows that it is alive; the caller's 60 s of §9 count from the last event. */
const QUEUE_REPEAT_MS = 15_000;

type Event = Readonly<{ type: string }> & Readonly<Record<string, unknown>>;

/**
 * Callers that ask for `progress` get the queue and the audio time as events; for all others they are comments, which
 * every reader of event streams skips (decision 0231).
 */
export function createAnswerStream(repeatMs = QUEUE_REPEAT_MS): AnswerStream {
  const body = new PassThrough();
  const begun = Promise.withResolvers<void>();
  let requested: { progress: boolean } | undefined;
  /** The fields of a form may come after its file. */
  let early: (() => void)[] | undefined = [];
  let hasText = false;
  let repeat: ReturnType<typeof setInterval> | undefined;
  body.once('close', () => clearInterval(repeat));

  const write = (piece: string): void => {
    if (!body.destroyed) body.write(`${piece}\n\n`);
    begun.resolve();
  };
  const writeEvent = (event: Event): void => write(`data: ${JSON.stringify(event)}`);
  const writeProgress = (event: Event, comment: string): void => {
    if (requested?.progress === true) writeEvent(event);
    else write(`: ${comment}`);
  };
  const run = (step: () => void): void => {
    clearInterval(repeat);
    step();
  };
  const onceRequested = (step: () => void): void => {
    if (requested !== undefined) run(step);
    else early?.push(step);
  };
  const writeDelta = (delta: string): void => {
    if (delta === '') return;
    hasText = true;
    writeEvent({ type: 'transcript.text.delta', delta });
  };
  return {
    callbacks: {
      onText: (delta) => onceRequested(() => writeDelta(delta)),
      onProgress: ({ doneS, totalS }) => {
        const event = { type: 'transcript.progress', done_seconds: doneS, total_seconds: totalS };
        onceRequested(() => writeProgress(event, `${doneS} of ${totalS} s`));
      },
      onQueue: (place) => {
        const show = (): void => writeProgress({ type: 'transcript.queued', place }, `place ${place}`);
        onceRequested(() => {
          show();
          repeat = setInterval(show, repeatMs).unref();
        });
      },
    },
    decide: (options) => {
      requested = options;
      if (options !== undefined) for (const step of early ?? []) run(step);
      early = undefined;
    },
    isRequested: () => requested !== undefined,
    begun: begun.promise,
    body,
    finish: ({ text, segments }, wanted) => {
      clearInterval(repeat);
      // Some clients read the pieces alone.
      if (!hasText) writeDelta(text);
      writeEvent({ type: 'transcript.text.done', text, ...(wanted === 'with-segments' ? { segments } : {}) });
      body.end();
    },
    fail: (error) => {
      clearInterval(repeat);
      write(`event: error\ndata: ${JSON.stringify(buildErrorBody(error))}`);
      body.end();
    },
  };
}
