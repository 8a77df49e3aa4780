import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { SpeechError } from '../errors.ts';
import type { InstalledModel } from '../models/files.ts';
import type { ModelStore } from '../models/store.ts';
import { isEngineAvailable } from './native.ts';
import { type EngineProcess, explainExit, startEngineProcess } from './process.ts';

export type ModelProcessOptions = Readonly<{
  models: ModelStore;
  /** Default: all processors but one. */
  threads?: number | undefined;
  /** ms without a job until the memory is given back. */
  idleMs?: number;
  log: FastifyBaseLogger;
  /** Only tests have another. */
  engine?: Engine;
}>;

type Engine = Readonly<{ isAvailable: () => boolean; start: () => EngineProcess }>;

const NATIVE: Engine = { isAvailable: isEngineAvailable, start: startEngineProcess };

const IDLE_MS = 5 * 60_000;
const MEBIBYTE = 1024 * 1024;
/** The weights and what computing takes besides them: less is too little in any case. */
const MEMORY_SHARE = 1.15;
const MEMORY_BASE = 100 * MEBIBYTE;

type Current = Readonly<{ engine: EngineProcess; model: InstalledModel }>;

/**
 * Holds the model that is in use in a process of its own, from the first job to five idle minutes after the last. `get`
 * starts and loads where needed, also after a crash or where another model was installed, and throws SpeechError;
 * `release` starts the idle time; `describe` is undefined while no model is loaded.
 */
export function createModelProcess(options: ModelProcessOptions) {
  const { models, log, idleMs = IDLE_MS, engine = NATIVE } = options;
  let current: Current | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isStopped = false;
  let killed = Promise.resolve();
  // Waits for a process that ends already, too: until then it holds the memory that the next one needs.
  const end = (): Promise<void> => {
    clearTimeout(idle);
    if (current !== undefined) killed = current.engine.kill();
    current = undefined;
    return killed;
  };
  return {
    get: async (): Promise<EngineProcess> => {
      clearTimeout(idle);
      const model = await models.findInUse();
      if (current !== undefined && isUsable(current, model)) return current.engine;
      await end();
      // A process that starts after the stop would outlive it.
      if (isStopped) throw new SpeechError('transcription_unavailable');
      current = { model: requireUsable(model, engine), engine: engine.start() };
      return load(current, options).catch((error: unknown) =>
        end().then(() => Promise.reject(explainExit(error, 'model_unusable'))),
      );
    },
    release: (): void => {
      clearTimeout(idle);
      idle = setTimeout(() => {
        if (current !== undefined) log.info({ model: current.model.name }, 'speech model unloaded');
        void end();
      }, idleMs).unref();
    },
    stop: (): Promise<void> => {
      isStopped = true;
      return end();
    },
    describe: () => (current === undefined || current.engine.hasExited() ? undefined : describeProcess(current)),
  };
}

function describeProcess({ engine, model }: Current) {
  return { model: model.name, pid: engine.pid, memoryBytes: engine.memoryBytes() };
}

function isUsable({ engine, model }: Current, wanted: InstalledModel | undefined): boolean {
  return !engine.hasExited() && model.path === wanted?.path && model.installedAt === wanted.installedAt;
}

/** Refuses before the kernel has to end a process that takes too much memory. Throws SpeechError. */
function requireUsable(model: InstalledModel | undefined, engine: Engine): InstalledModel {
  if (model === undefined) throw new SpeechError('transcription_unavailable');
  if (!engine.isAvailable()) throw new SpeechError('engine_missing');
  const needed = model.bytes * MEMORY_SHARE + MEMORY_BASE;
  if (process.availableMemory() < needed) throw new SpeechError('engine_out_of_memory');
  return model;
}

async function load({ engine, model }: Current, { threads, log }: ModelProcessOptions): Promise<EngineProcess> {
  const begun = performance.now();
  await engine.load({
    model: model.kind,
    path: model.path,
    threads: threads ?? Math.max(1, availableParallelism() - 1),
  });
  const ms = Math.round(performance.now() - begun);
  const memoryMb = Math.round(engine.memoryBytes() / MEBIBYTE);
  log.info({ model: model.name, ms, memoryMb, pid: engine.pid }, 'speech model loaded');
  return engine;
}
