import type { FastifyBaseLogger } from 'fastify';
import type { SpokenSegment } from '#contract/spoken.ts';
import type { AudioProgress, TranscriptionEngine, TranscriptionRequest, TranscriptionResult } from '../engine.ts';
import { SpeechError } from '../errors.ts';
import { createModelProcess, type ModelProcessOptions } from './model-process.ts';
import { type EngineProcess, explainExit } from './process.ts';
import { createJobQueue, type Held, type QueuedJob, type QueueLimits } from './queue.ts';

export type LocalEngineOptions = ModelProcessOptions &
  Readonly<{
    /** Names and terms of the installation that a model which takes a prompt shall know. */
    glossary?: readonly string[];
    limits?: QueueLimits;
    /** ms that a cancelled computation may take to its end before its process is ended. */
    cancelMs?: number;
    /** ms for one piece of at most 30 s of sound. */
    pieceMs?: number;
  }>;

export type LocalEngineStatus = Readonly<{
  /** The model in memory; undefined while none is loaded. */
  model: string | undefined;
  memoryBytes: number;
  pid: number | undefined;
  /** Recordings and turns, the one at work among them. */
  jobs: number;
  /** Seconds of sound a second of work, of the last jobs; undefined before the first. */
  speed: number | undefined;
}>;

/** Transcribes on this machine, one job at a time in a process of its own. */
export type LocalEngine = TranscriptionEngine &
  Readonly<{ status: () => LocalEngineStatus; hold: () => Held; close: () => Promise<void> }>;

type Job = QueuedJob & {
  readonly id: number;
  readonly request: TranscriptionRequest;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly language: string;
  readonly prompt: string;
  readonly resolve: (result: TranscriptionResult) => void;
  readonly reject: (error: unknown) => void;
  readonly queuedAt: number;
  /** The process that holds the decoded recording. */
  openIn: EngineProcess | undefined;
  /** Of the pieces that this process cut: another model, installed meanwhile, gets others from `doneS` on. */
  ends: readonly number[];
  nextPiece: number;
  doneS: number;
  segments: SpokenSegment[];
  workMs: number;
};

const CANCEL_MS = 2_000;
const PIECE_MS = 10 * 60_000;
/** §9: a caller that hears nothing for long takes the work for lost. */
const PROGRESS_EVERY_MS = 5_000;
/** Whisper reads about this much of a prompt. */
const PROMPT_CHARACTERS = 600;
const SPEED_OF_JOBS = 20;
const NO_PROCESS = { model: undefined, pid: undefined, memoryBytes: 0 };

export function createLocalEngine(options: LocalEngineOptions): LocalEngine {
  const queue = createJobQueue<Job>(options.limits);
  const model = createModelProcess(options);
  const speed = createSpeedometer();
  let lastId = 0;
  let working: Promise<void> | undefined;
  let isClosed = false;

  const work = async (): Promise<void> => {
    for (let job = queue.next(); job !== undefined; job = queue.next()) {
      try {
        if (isClosed) throw new SpeechError('transcription_unavailable');
        if (!(await advance(job, await model.get(), options))) continue;
        speed.add(getLengthS(job), job.workMs);
        logJob(options.log, job, model.describe()?.memoryBytes ?? 0, queue.size() - 1);
        job.resolve(toResult(job));
      } catch (error) {
        job.reject(explainExit(error, 'engine_crashed'));
      }
      job.openIn?.close(job.id);
      queue.remove(job);
    }
    model.release();
    working = undefined;
  };
  return {
    transcribe: async (request) => {
      const given = await readRequest(request, queue.hold(request.priority ?? 'recording'), options.glossary);
      if (request.signal.aborted || isClosed) throw new SpeechError('upload_aborted');
      return enqueue(queue, { id: (lastId += 1), ...given }, () => void (working ??= work()));
    },
    status: () => ({ ...(model.describe() ?? NO_PROCESS), jobs: queue.size(), speed: speed.get() }),
    hold: () => queue.hold('turn'),
    close: async () => {
      isClosed = true;
      await model.stop();
      await working;
    },
  };
}

async function readRequest(
  request: TranscriptionRequest,
  held: Held,
  glossary: readonly string[] = [],
): Promise<Omit<NewJob, 'id'>> {
  try {
    const file = await readAll(request.audio, held);
    const language = await request.language();
    const prompt = joinPrompt(glossary, (await request.prompt?.()) ?? '');
    return { request, file, language, prompt };
  } finally {
    held.release();
  }
}

/** Whisper reads the end of a prompt, so a long glossary is cut and the terms of the request are not. */
function joinPrompt(glossary: readonly string[], terms: string): string {
  const known = glossary.join(', ').slice(0, Math.max(0, PROMPT_CHARACTERS - terms.length));
  return [known, terms].filter(Boolean).join(', ').slice(-PROMPT_CHARACTERS);
}

async function readAll(audio: AsyncIterable<Uint8Array>, held: Held): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of audio) {
    held.grow(piece.byteLength);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

type NewJob = Pick<Job, 'id' | 'request' | 'file' | 'language' | 'prompt'>;

function enqueue(
  queue: ReturnType<typeof createJobQueue<Job>>,
  given: NewJob,
  poke: () => void,
): Promise<TranscriptionResult> {
  const { promise, resolve, reject } = Promise.withResolvers<TranscriptionResult>();
  const { caller = '', priority = 'recording', signal, onQueue, onProgress } = given.request;
  const job: Job = {
    ...given,
    caller,
    priority,
    bytes: given.file.byteLength,
    onPlace: (place) => onQueue?.(place),
    resolve,
    reject,
    queuedAt: performance.now(),
    openIn: undefined,
    ends: [],
    nextPiece: 0,
    doneS: 0,
    segments: [],
    workMs: 0,
  };
  queue.add(job);
  const abort = (): void => {
    reject(new SpeechError('upload_aborted'));
    // A job at work ends with its piece.
    if (job.openIn === undefined) queue.remove(job);
  };
  signal.addEventListener('abort', abort, { once: true });
  // A caller hears its place until the length is known, then how far the work is.
  const timer = setInterval(() => job.ends.length > 0 && onProgress?.(getProgress(job)), PROGRESS_EVERY_MS);
  poke();
  return promise.finally(() => {
    clearInterval(timer);
    signal.removeEventListener('abort', abort);
  });
}

/** Works on the next piece of a job; resolves to true when it was the last. Throws SpeechError or EngineExitError. */
async function advance(job: Job, engine: EngineProcess, options: LocalEngineOptions): Promise<boolean> {
  const { request, file, language, prompt } = job;
  request.signal.throwIfAborted();
  const begun = performance.now();
  const waitFor = <T>(answer: Promise<T>): Promise<T> => waitForPiece(answer, engine, request.signal, options);
  if (job.openIn !== engine) {
    job.openIn = engine;
    job.ends = (await waitFor(engine.open({ job: job.id, file, fromS: job.doneS }))).ends;
    job.nextPiece = 0;
    request.onProgress?.(getProgress(job));
  }
  if (job.nextPiece < job.ends.length) {
    const answer = await waitFor(engine.run({ job: job.id, piece: job.nextPiece, language, prompt }));
    job.doneS = job.ends[job.nextPiece] ?? job.doneS;
    job.nextPiece += 1;
    for (const segment of answer.segments) {
      request.onText?.(job.segments.length === 0 ? segment.text : ` ${segment.text}`);
      job.segments.push(segment);
    }
    request.onProgress?.(getProgress(job));
  }
  job.workMs += performance.now() - begun;
  return job.nextPiece >= job.ends.length;
}

/**
 * Waits for an answer; ends the process of a computation that was cancelled and does not stop soon, because native code
 * knows no way to interrupt it.
 */
async function waitForPiece<T>(
  answer: Promise<T>,
  engine: EngineProcess,
  signal: AbortSignal,
  { cancelMs = CANCEL_MS, pieceMs = PIECE_MS }: LocalEngineOptions,
): Promise<T> {
  const kill = (): void => void engine.kill();
  let timer = setTimeout(kill, pieceMs);
  const hurry = (): void => {
    clearTimeout(timer);
    timer = setTimeout(kill, cancelMs);
  };
  signal.addEventListener('abort', hurry, { once: true });
  try {
    const value = await answer;
    signal.throwIfAborted();
    return value;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', hurry);
  }
}

function getLengthS(job: Job): number {
  return job.ends.at(-1) ?? 0;
}

function getProgress(job: Job): AudioProgress {
  return { doneS: job.doneS, totalS: getLengthS(job) };
}

function toResult(job: Job): TranscriptionResult {
  const text = job.segments.map((segment) => segment.text).join(' ');
  return { text, segments: job.segments, durationS: getLengthS(job) };
}

function logJob(log: FastifyBaseLogger, job: Job, memoryBytes: number, waiting: number): void {
  const audioS = Math.round(getLengthS(job) * 10) / 10;
  const waitedMs = Math.round(performance.now() - job.queuedAt - job.workMs);
  const memoryMb = Math.round(memoryBytes / 1024 / 1024);
  const workMs = Math.round(job.workMs);
  log.info({ job: job.id, audioS, workMs, waitedMs, memoryMb, waiting }, 'transcribed on this machine');
}

/** How fast the last jobs went. */
function createSpeedometer() {
  const jobs: { audioS: number; workMs: number }[] = [];
  return {
    add: (audioS: number, workMs: number): void => {
      jobs.push({ audioS, workMs });
      if (jobs.length > SPEED_OF_JOBS) jobs.shift();
    },
    get: (): number | undefined => {
      const workMs = jobs.reduce((sum, job) => sum + job.workMs, 0);
      return workMs === 0 ? undefined : (jobs.reduce((sum, job) => sum + job.audioS, 0) / workMs) * 1_000;
    },
  };
}
