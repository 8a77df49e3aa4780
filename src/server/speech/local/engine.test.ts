import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { TranscriptionRequest } from '../engine.ts';
import type { ModelStore } from '../models/store.ts';
import { createLocalEngine, type LocalEngine } from './engine.ts';
import type { EngineProcess, PieceResult } from './process.ts';

type Asked = Readonly<{ what: string; answer: () => void }>;

/** An engine on a process whose answers the test gives. */
function start() {
  const asked: Asked[] = [];
  const ask = <T>(what: string, value: T): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    asked.push({ what, answer: () => resolve(value) });
    return promise;
  };
  const said: PieceResult = { segments: [] };
  const engineProcess: EngineProcess = {
    pid: 1,
    load: () => ask('load', undefined),
    open: ({ job }) => ask(`open ${job}`, { ends: [20, 40] }),
    run: ({ job, piece }) => ask(`run ${job} ${piece}`, said),
    close: () => undefined,
    memoryBytes: () => 0,
    hasExited: () => false,
    kill: () => ask('kill', undefined),
  };
  const models = { findInUse: async () => ({ name: 'a', path: 'a', bytes: 0, installedAt: '' }) };
  const engine = createLocalEngine({
    models: models as unknown as ModelStore,
    log: pino({ level: 'silent' }),
    engine: { isAvailable: () => true, start: () => engineProcess },
  });
  const answerNext = async (what: string): Promise<void> => {
    await expect.poll(() => asked.at(-1)?.what).toBe(what);
    asked.at(-1)?.answer();
  };
  return { engine, asked, answerNext };
}

function transcribe(engine: LocalEngine, given: Partial<TranscriptionRequest> = {}): Promise<string> {
  const request: TranscriptionRequest = {
    audio: (async function* () {
      yield new Uint8Array(1);
    })(),
    type: 'wav',
    language: async () => 'de',
    ownKey: undefined,
    signal: new AbortController().signal,
    caller: 'user:1',
    ...given,
  };
  return engine.transcribe(request).then(
    () => 'done',
    (error: unknown) => String(error),
  );
}

test('Begins no further piece of a recording that is cancelled while a turn goes before it', async () => {
  const { engine, asked, answerNext } = start();
  const leaving = new AbortController();
  const recording = transcribe(engine, { signal: leaving.signal });
  await answerNext('load');
  await answerNext('open 1');
  await expect.poll(() => asked.at(-1)?.what).toBe('run 1 0');
  const turn = transcribe(engine, { caller: 'conversation', priority: 'turn' });
  await expect.poll(() => engine.status().jobs).toBe(2);
  asked.at(-1)?.answer();
  await expect.poll(() => asked.at(-1)?.what).toBe('open 2');
  leaving.abort();
  expect(await recording).toContain('went away');
  for (const what of ['open 2', 'run 2 0', 'run 2 1']) await answerNext(what);
  expect(await turn).toBe('done');
  await expect.poll(() => engine.status().jobs).toBe(0);
  expect(asked.map(({ what }) => what)).toEqual(['load', 'open 1', 'run 1 0', 'open 2', 'run 2 0', 'run 2 1']);
});

test('Does not open a recording that is cancelled while the model is loaded', async () => {
  const { engine, asked, answerNext } = start();
  const leaving = new AbortController();
  const recording = transcribe(engine, { signal: leaving.signal });
  await expect.poll(() => asked.length).toBe(1);
  leaving.abort();
  expect(await recording).toContain('went away');
  const next = transcribe(engine);
  for (const what of ['load', 'open 2', 'run 2 0', 'run 2 1']) await answerNext(what);
  expect(await next).toBe('done');
  expect(asked.map(({ what }) => what)).toEqual(['load', 'open 2', 'run 2 0', 'run 2 1']);
});
