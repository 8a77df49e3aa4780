/**
 * The process that holds a model: a fault in native code ends it and no request of others. `process.ts` starts it and
 * sends it EngineRequests.
 */
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import type { SpokenSegment } from '#contract/spoken.ts';
import { keepSpokenWords } from '../../service-request.ts';
import { SpeechError } from '../errors.ts';
import type { ModelKind } from '../models/catalogue.ts';
import { decodeAudio, SAMPLE_RATE } from './decode.ts';
import { loadNativeModel, type NativeModel } from './native.ts';
import { cutAtPauses, isSilent, type Piece, type PieceLength } from './pieces.ts';
import type { EngineAnswer, EngineCommand, EngineRequest, OpenedJob, PieceResult } from './process.ts';

const PRIORITY = 10;
const MEMORY_KILLED_FIRST = '1000';

/** Whisper computes 30 s at a time, however short the piece is; Parakeet was trained on up to 24 s. */
const PIECE_LENGTH: Readonly<Record<ModelKind, PieceLength>> = {
  whisper: { shortestS: 23, longestS: 29.8 },
  parakeet: { shortestS: 12, longestS: 24 },
};
/** Whisper hears nothing in less than a second. */
const SHORTEST_SAMPLES = 1.2 * SAMPLE_RATE;

let loaded: Readonly<{ kind: ModelKind; native: NativeModel; threads: number }> | undefined;
const jobs = new Map<number, Readonly<{ samples: Int16Array<ArrayBuffer>; pieces: readonly Piece[] }>>();

giveWay();
process.on('message', (request: EngineRequest) => void answer(request));
// An orderly exit would wait for a computation that has no reader any more.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

/** The server and its database go before the model, for the processor and for the kernel that needs memory. */
function giveWay(): void {
  try {
    // Where the server itself has a still lower priority, raising it would need privileges.
    setPriority(Math.max(getPriority(), PRIORITY));
    if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', MEMORY_KILLED_FIRST);
  } catch {
    // A container may forbid either.
  }
}

async function answer({ id, command }: EngineRequest): Promise<void> {
  const send = (
    rest: Readonly<{ value: OpenedJob | PieceResult | null }> | Readonly<{ error: SpeechError['code'] }>,
  ) => {
    const message: EngineAnswer = { id, memoryBytes: process.memoryUsage.rss(), ...rest };
    process.send?.(message);
  };
  try {
    send({ value: await execute(command) });
  } catch (error) {
    send({ error: error instanceof SpeechError ? error.code : 'engine_crashed' });
  }
}

async function execute(command: EngineCommand): Promise<OpenedJob | PieceResult | null> {
  switch (command.kind) {
    case 'load':
      loaded = { kind: command.model, native: loadModel(command.model, command.path), threads: command.threads };
      return null;
    case 'open':
      return openJob(command);
    case 'run':
      return runPiece(command);
    default:
      jobs.delete(command.job);
      return null;
  }
}

function loadModel(kind: ModelKind, path: string): NativeModel {
  try {
    return loadNativeModel(kind, path);
  } catch (cause) {
    throw new SpeechError('model_unusable', { cause });
  }
}

async function openJob({ job, file, fromS }: Extract<EngineCommand, { kind: 'open' }>): Promise<OpenedJob> {
  const samples = await decodeAudio(file);
  const pieces = cutAtPauses(samples, PIECE_LENGTH[loaded?.kind ?? 'whisper'], Math.round(fromS * SAMPLE_RATE));
  jobs.set(job, { samples, pieces });
  return { ends: pieces.map(({ to }) => to / SAMPLE_RATE) };
}

async function runPiece(command: Extract<EngineCommand, { kind: 'run' }>): Promise<PieceResult> {
  const job = jobs.get(command.job);
  const piece = job?.pieces[command.piece];
  if (loaded === undefined || job === undefined || piece === undefined) throw new Error('nothing to run');
  const samples = job.samples.slice(piece.from, piece.to);
  if (isSilent(samples)) return { segments: [] };
  const { language, prompt } = command;
  const options = { language, prompt, maxThreads: loaded.threads };
  const { segments } = await loaded.native.transcribeData(padSamples(samples).buffer, options).promise;
  const startS = piece.from / SAMPLE_RATE;
  const lengthS = samples.length / SAMPLE_RATE;
  return {
    segments: segments.flatMap(({ text, t0 }): SpokenSegment[] => {
      const words = keepSpokenWords(text);
      if (words === '') return [];
      return [{ start: startS + Math.min(t0 / 1_000, lengthS), text: words }];
    }),
  };
}

function padSamples(samples: Int16Array<ArrayBuffer>): Int16Array<ArrayBuffer> {
  if (samples.length >= SHORTEST_SAMPLES) return samples;
  const padded = new Int16Array(SHORTEST_SAMPLES);
  padded.set(samples);
  return padded;
}
