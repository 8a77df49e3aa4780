import type { FastifyBaseLogger } from 'fastify';
import type { Env } from '../env.ts';
import type { TranscriptionEngine } from './engine.ts';
import { createLocalEngine, type LocalEngineStatus } from './local/engine.ts';
import type { Held } from './local/queue.ts';
import { openSpeechModels, type ModelStore } from './models/store.ts';
import { createOpenAiEngine } from './openai-engine.ts';

/** What transcribes: the configured service, else the model that is installed, else nothing (the browser's turn). */
export type TranscriptionSource =
  | Readonly<{ kind: 'service' }>
  | Readonly<{ kind: 'model'; name: string }>
  | Readonly<{ kind: 'none' }>;

/**
 * The transcription of this server, shared by uploads and the administrators' page; interviews share a model, but call
 * a service themselves.
 */
export type TranscriptionSetup = Readonly<{
  /** Throws SpeechError `transcription_unavailable` while nothing transcribes. */
  engine: TranscriptionEngine;
  /** The engine; undefined while nothing transcribes. */
  findEngine: () => Promise<TranscriptionEngine | undefined>;
  /** Reads the folder of models: a command may install or remove one while the server runs. */
  findSource: () => Promise<TranscriptionSource>;
  /** undefined where a service transcribes. */
  localStatus: () => LocalEngineStatus | undefined;
  /** Room in the memory of this machine's queue. */
  hold: () => Held;
  close: () => Promise<void>;
}>;

export function openTranscription(
  env: Env,
  log: FastifyBaseLogger,
  timeoutMs: number,
  models: ModelStore = openSpeechModels(env),
): TranscriptionSetup {
  const findSource = (): Promise<TranscriptionSource> => findTranscriptionSource(env, models);
  const service = createServiceEngine(env, timeoutMs);
  if (service !== undefined) {
    return {
      engine: service,
      findEngine: async () => service,
      findSource,
      localStatus: () => undefined,
      hold: () => ({ grow: () => undefined, release: () => undefined }),
      close: async () => undefined,
    };
  }
  const local = createLocalEngine({
    models,
    threads: env.SPEECH_THREADS,
    glossary: env.SPEECH_GLOSSARY,
    log: log.child({ part: 'speech' }),
  });
  const findEngine = async (): Promise<TranscriptionEngine | undefined> =>
    (await findSource()).kind === 'none' ? undefined : local;
  return { engine: local, findEngine, findSource, localStatus: local.status, hold: local.hold, close: local.close };
}

export async function findTranscriptionSource(
  env: Env,
  models: ModelStore = openSpeechModels(env),
): Promise<TranscriptionSource> {
  if (env.TRANSCRIPTION_URL !== undefined) return { kind: 'service' };
  const model = await models.findInUse();
  return model === undefined ? { kind: 'none' } : { kind: 'model', name: model.name };
}

/** undefined where the environment names no service. */
export function createServiceEngine(env: Env, timeoutMs: number): TranscriptionEngine | undefined {
  if (env.TRANSCRIPTION_URL === undefined) return undefined;
  return createOpenAiEngine({
    url: env.TRANSCRIPTION_URL,
    model: env.TRANSCRIPTION_MODEL,
    authHeader: env.TRANSCRIPTION_AUTH_HEADER,
    key: env.TRANSCRIPTION_KEY,
    format: env.TRANSCRIPTION_TIMES ? 'verbose_json' : 'json',
    timeoutMs,
  });
}

/** One line for the terminal of `npm start`. */
export async function describeTranscription(env: Env): Promise<string> {
  const source = await findTranscriptionSource(env);
  switch (source.kind) {
    case 'service':
      return 'Transkription: der Dienst aus TRANSCRIPTION_URL';
    case 'model':
      return `Transkription: auf diesem Rechner mit dem Modell ${source.name}`;
    default:
      return 'Transkription: keine auf dem Server. Einrichten: npm run speech -- install';
  }
}
