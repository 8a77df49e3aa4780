import { mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { TranscriptionRequest, TranscriptionResult } from '#server/speech/engine.ts';
import { SpeechError } from '#server/speech/errors.ts';
import { createLocalEngine, type LocalEngine, type LocalEngineOptions } from '#server/speech/local/engine.ts';
import type { ModelKind } from '#server/speech/models/catalogue.ts';
import { writeRecord } from '#server/speech/models/files.ts';
import { openModelStore, type ModelStore } from '#server/speech/models/store.ts';
import { describeModel } from './model-server.ts';
import { makeParakeetModel } from './parakeet-model.ts';
import { makeSineWav } from './speech-audio.ts';
import { makeWhisperModel } from './whisper-model.ts';

export type TestEngine = Readonly<{
  engine: LocalEngine;
  models: ModelStore;
  /** Installs generated content as a model and puts it into use. */
  install: (content: Buffer, given?: Readonly<{ name?: string; kind?: ModelKind }>) => Promise<void>;
  /** Puts a file without content into use that claims `bytes` and takes no room. */
  installSparse: (name: string, bytes: number) => Promise<void>;
  log: () => string;
  stop: () => Promise<void>;
}>;

/** The engine on a folder of its own, with a model that is generated. */
export async function startLocalEngine(
  model: 'parakeet' | 'whisper' | 'none' = 'parakeet',
  options: Partial<LocalEngineOptions> = {},
): Promise<TestEngine> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-engine-'));
  const lines: string[] = [];
  const sink = new Writable({ write: (line: Buffer, _encoding, done) => (lines.push(line.toString()), done()) });
  const install: TestEngine['install'] = (content, given) => installModel(path.join(folder, 'models'), content, given);
  const models = openModelStore({ folder: path.join(folder, 'models'), freeRoom: NO_SPARE, catalogue: [] });
  if (model === 'parakeet') await install(makeParakeetModel(), { kind: 'parakeet' });
  if (model === 'whisper') await install(makeWhisperModel());
  const engine = createLocalEngine({ models, threads: 1, log: pino({ level: 'trace' }, sink), ...options });
  return {
    engine,
    models,
    install,
    installSparse: async (name, bytes) => {
      const file = `${name}.bin`;
      await mkdir(path.join(folder, 'models'), { recursive: true });
      await writeFile(path.join(folder, 'models', file), '');
      await truncate(path.join(folder, 'models', file), bytes);
      const installedAt = new Date().toISOString();
      const row = { version: 1, name, kind: 'whisper', file, bytes, sha256: '', from: '', installedAt } as const;
      await writeRecord(path.join(folder, 'models'), row);
    },
    log: () => lines.join(''),
    stop: async () => {
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const NO_SPARE = { bytes: 0, percent: 0 };

/** Puts generated content into a folder of models, as `install --file` does. */
export async function installModel(
  folder: string,
  content: Buffer,
  { name = 'test-model', kind = 'whisper' }: Readonly<{ name?: string; kind?: ModelKind }> = {},
): Promise<void> {
  const file = `${folder}.${name}.brought`;
  await writeFile(file, content);
  const row = describeModel(content, { name, kind, file: `${name}.bin` });
  await openModelStore({ folder, freeRoom: NO_SPARE, catalogue: [row] }).install(name, { file });
  await rm(file);
}

const tones = new Map<number, Uint8Array<ArrayBuffer>>();

/** A tone of `seconds`, computed once: a generated model says its words to any sound. */
export function makeRequest(seconds: number, given: Partial<TranscriptionRequest> = {}): TranscriptionRequest {
  const tone = tones.get(seconds) ?? makeSineWav(440, seconds, { rate: 16_000 });
  tones.set(seconds, tone);
  return makeFileRequest(tone, given);
}

export function makeFileRequest(
  file: Uint8Array<ArrayBuffer>,
  given: Partial<TranscriptionRequest> = {},
): TranscriptionRequest {
  return {
    audio: (async function* () {
      yield file;
    })(),
    type: 'wav',
    language: async () => 'de',
    ownKey: undefined,
    signal: new AbortController().signal,
    caller: 'user:1',
    ...given,
  };
}

export function getCode(work: Promise<TranscriptionResult>): Promise<unknown> {
  return work.then(
    () => 'no error',
    (error: unknown) => (error instanceof SpeechError ? error.code : error),
  );
}

/** Whether a process of this number lives. */
export async function isRunning(pid: number): Promise<boolean> {
  return stat(`/proc/${pid}`).then(
    () => true,
    () => false,
  );
}
