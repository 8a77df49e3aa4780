import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AudioProgress } from '#server/speech/engine.ts';
import type { InstalledModel } from '#server/speech/models/files.ts';
import {
  getCode,
  isRunning,
  makeFileRequest,
  makeRequest,
  startLocalEngine,
  type TestEngine,
} from '#tests/support/local-engine.ts';
import { makeParakeetModel, PARAKEET_WORD } from '#tests/support/parakeet-model.ts';
import { makeOpusFile } from '#tests/support/speech-audio.ts';
import { TEST_MS } from '#tests/support/time-limits.ts';
import { makeWhisperModel } from '#tests/support/whisper-model.ts';

const MEBIBYTE = 1024 * 1024;
/** What the generated Whisper model says in each piece; its second sentence begins at 12 s. */
const FIRST = 'Guten Morgen';
const SECOND = 'Hier spricht ein Modell';
const SECOND_S = 12;
/** The generated Parakeet model repeats one word, in pieces of up to 24 s. */
const WORDS = new RegExp(`^${PARAKEET_WORD}(?: ${PARAKEET_WORD})*$`);
/** Seconds of sound that take a while. */
const LONG_S = 290;

// Its process has a low priority: beside twenty busy programs a test took a hundred times as long as alone.
vi.setConfig({ testTimeout: 3 * TEST_MS });

let running: TestEngine | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function start(...args: Parameters<typeof startLocalEngine>): Promise<TestEngine> {
  running = await startLocalEngine(...args);
  return running;
}

/** One engine of each kind for all tests that need no settings of their own: its process takes half of a second. */
const shared = new Map<'parakeet' | 'whisper', Promise<TestEngine>>();
afterAll(async () => {
  for (const engine of shared.values()) await (await engine).stop();
});

function share(kind: 'parakeet' | 'whisper' = 'parakeet'): Promise<TestEngine> {
  const engine = shared.get(kind) ?? startLocalEngine(kind);
  shared.set(kind, engine);
  return engine;
}

/** Resolves when the engine has begun with a job. */
function awaitWork(): Readonly<{ begun: Promise<void>; onProgress: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { begun: promise, onProgress: resolve };
}

describe('Transcription on this machine', () => {
  test('Understands a recording piece by piece, with times and progress', async () => {
    const { engine } = await share('whisper');
    const deltas: string[] = [];
    const steps: AudioProgress[] = [];
    const result = await engine.transcribe(
      makeRequest(50, { onText: (delta) => deltas.push(delta), onProgress: (step) => steps.push(step) }),
    );
    expect(result.text).toBe(`${FIRST} ${SECOND} ${FIRST} ${SECOND}`);
    expect(deltas.join('')).toBe(result.text);
    expect(deltas.length).toBe(4);
    const [first, second, third] = result.segments;
    expect(first).toEqual({ start: 0, text: FIRST });
    expect(second).toEqual({ start: SECOND_S, text: SECOND });
    // The second piece begins at a pause.
    expect(third?.start).toBeGreaterThan(23);
    expect(steps[0]).toEqual({ doneS: 0, totalS: 50 });
    expect(steps.at(-1)).toEqual({ doneS: 50, totalS: 50 });
  });

  test('Gives no progress until the length of the recording is known', async () => {
    const { engine } = await share('whisper');
    await engine.transcribe(makeRequest(1));
    const pid = engine.status().pid ?? NaN;
    const steps: AudioProgress[] = [];
    process.kill(pid, 'SIGSTOP');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const result = engine.transcribe(makeRequest(5, { onProgress: (step) => steps.push(step) }));
      await expect.poll(() => engine.status().jobs).toBe(1);
      for (let turns = 0; turns < 100; turns += 1) {
        await turn();
        vi.advanceTimersByTime(5_000);
      }
      process.kill(pid, 'SIGCONT');
      await result;
      expect(steps[0]).toEqual({ doneS: 0, totalS: 5 });
    } finally {
      vi.useRealTimers();
      process.kill(pid, 'SIGCONT');
    }
  });

  test('Understands a recording with a Parakeet model', async () => {
    const { engine } = await start('parakeet');
    const { text, segments } = await engine.transcribe(makeRequest(40));
    expect(text).toMatch(WORDS);
    expect(segments.length).toBe(2);
    expect(segments[0]?.start).toBe(0);
    expect(segments[1]?.start).toBeGreaterThan(12);
    expect(segments[1]?.start).toBeLessThan(24);
  });

  test.each(['webm', 'ogg', 'mp4'] as const)('Understands Opus in %s', async (format) => {
    const { engine } = await share();
    const { text } = await engine.transcribe(makeFileRequest(await makeOpusFile(format), { type: format }));
    expect(text).toMatch(WORDS);
  });

  test('Asks for WAV where it cannot decode a recording', async () => {
    const { engine } = await share();
    const file = new Uint8Array(await readFile('tests/fixtures/sprache.ogg'));
    expect(await getCode(engine.transcribe(makeFileRequest(file, { type: 'ogg' })))).toBe('audio_needs_wav');
    expect((await engine.transcribe(makeRequest(1))).text).toMatch(WORDS);
  });

  test('Hears no words in silence', async () => {
    const { engine } = await share();
    const wav = new Uint8Array(await readFile('tests/fixtures/sprache.wav')).fill(0, 44);
    expect(await engine.transcribe(makeFileRequest(wav))).toMatchObject({ text: '', segments: [] });
  });

  test('Leaves out the names of sounds that a model writes for music', async () => {
    const { engine, install } = await start('none');
    await install(makeWhisperModel([0, ' [Musik]', 8, 8, ' Guten', ' Tag', 30]));
    expect((await engine.transcribe(makeRequest(20))).text).toBe('Guten Tag');
    await install(makeWhisperModel([0, ' (Applaus)', 30]), { name: 'sounds' });
    expect(await engine.transcribe(makeRequest(20))).toMatchObject({ text: '', segments: [] });
  });

  // The generated decoder follows positions alone, so a word before it moves what it says by two.
  test.each([
    { glossary: ['Guten'], prompt: undefined },
    { glossary: [], prompt: 'Guten' },
  ])('Gives the model the terms of the installation or of the request (%j)', async ({ glossary, prompt }) => {
    const { engine } = await start('whisper', { glossary });
    expect((await engine.transcribe(makeRequest(2, { prompt: async () => prompt }))).text).toBe('Morgen');
  });

  test('Cuts a long glossary, not the terms of the request', async () => {
    // No part of it is in the generated vocabulary, so the request alone moves what the model says.
    const { engine, install } = await start('none', { glossary: ['x'.repeat(700)] });
    await install(makeWhisperModel([0, 'Guten', ' Morgen', ' Welt', 30]));
    expect((await engine.transcribe(makeRequest(2))).text).toBe('Guten Morgen Welt');
    expect((await engine.transcribe(makeRequest(2, { prompt: async () => 'Guten' }))).text).toBe('Welt');
  });

  test('Says that nothing transcribes while no model is installed, and uses one as soon as it is', async () => {
    const { engine, install } = await start('none');
    expect(await getCode(engine.transcribe(makeRequest(1)))).toBe('transcription_unavailable');
    await install(makeParakeetModel(), { kind: 'parakeet' });
    expect((await engine.transcribe(makeRequest(1))).text).toMatch(WORDS);
  });

  test('Ends a job whose model is removed and goes on with another model', async () => {
    const { engine, models, install } = await start();
    const { begun, onProgress } = awaitWork();
    const job = engine.transcribe(makeRequest(LONG_S, { onProgress }));
    await begun;
    await models.remove('test-model');
    expect(await getCode(job)).toBe('transcription_unavailable');
    await install(makeWhisperModel([0, ' Anders', 30]), { name: 'other' });
    expect((await engine.transcribe(makeRequest(1))).text).toBe('Anders');
    expect(engine.status().model).toBe('other');
  });

  // A Parakeet model gets shorter pieces than a Whisper model.
  test.each([
    ['parakeet', 'whisper'],
    ['whisper', 'parakeet'],
  ] as const)('Goes on where it is when %s gives way to %s in the middle of a recording', async (first, second) => {
    const content = { whisper: makeWhisperModel(), parakeet: makeParakeetModel() };
    const { models, install, stop } = await startLocalEngine('none');
    onTestFinished(stop);
    const inUse: (InstalledModel | undefined)[] = [];
    for (const kind of [first, second]) {
      await install(content[kind], { name: kind, kind });
      inUse.push(await models.findInUse());
    }
    // Looked up before each piece.
    const findInUse = async () => (inUse.length > 1 ? inUse.shift() : inUse[0]);
    const { engine } = await start('none', { models: { ...models, findInUse } });
    const done: number[] = [];
    const request = makeRequest(60, { onProgress: ({ doneS }) => done.push(doneS) });
    const { segments } = await engine.transcribe(request);
    const switchedAt = done.find((doneS) => doneS > 0);
    const saidByFirst = first === 'whisper' ? 2 : 1;
    expect(segments[saidByFirst]?.start).toBe(switchedAt);
    expect(segments.map(({ start }) => start)).toEqual(segments.map(({ start }) => start).toSorted((a, b) => a - b));
    expect(done.at(-1)).toBe(60);
  });
});

describe('The queue of transcriptions', () => {
  test('Serves 20 callers one after the other and tells each its place', async () => {
    const { engine } = await share();
    const finished: number[] = [];
    const places = new Map<number, number[]>();
    const jobs = Array.from({ length: 20 }, async (_, caller) => {
      const seen: number[] = [];
      places.set(caller, seen);
      const request = makeRequest(1, { caller: `user:${caller}`, onQueue: (place) => seen.push(place) });
      expect((await engine.transcribe(request)).text).toMatch(WORDS);
      finished.push(caller);
    });
    await Promise.all(jobs);
    expect(finished).toEqual(Array.from({ length: 20 }, (_, caller) => caller));
    const last = places.get(19) ?? [];
    expect(last).toEqual(last.toSorted((a, b) => b - a));
    expect(last.at(-1)).toBeLessThanOrEqual(2);
    expect(engine.status()).toMatchObject({ jobs: 0, model: 'test-model' });
    expect(engine.status().speed).toBeGreaterThan(0);
  });

  test('Lets a turn of a conversation go between the pieces of a recording', async () => {
    const { engine } = await share();
    const finished: string[] = [];
    const { begun, onProgress } = awaitWork();
    const recording = engine.transcribe(makeRequest(120, { onProgress })).then(() => finished.push('recording'));
    await begun;
    const turn = makeRequest(1, { caller: 'voice', priority: 'turn' });
    expect((await engine.transcribe(turn)).text).toMatch(WORDS);
    finished.push('turn');
    await recording;
    expect(finished).toEqual(['turn', 'recording']);
  });

  test('Limits the jobs of one caller, of all, and their bytes', async () => {
    const { engine } = await start('parakeet', {
      limits: { jobs: 2, jobsOfCaller: 1, bytes: 10 * MEBIBYTE, turnBytes: 0 },
    });
    const stopping = new AbortController();
    const { begun, onProgress } = awaitWork();
    const first = engine.transcribe(makeRequest(LONG_S, { caller: 'a', signal: stopping.signal, onProgress }));
    await begun;
    expect(await getCode(engine.transcribe(makeRequest(1, { caller: 'a' })))).toBe('rate_limited');
    expect(await getCode(engine.transcribe(makeRequest(LONG_S, { caller: 'b' })))).toBe('queue_full');
    const second = engine.transcribe(makeRequest(1, { caller: 'b', signal: stopping.signal }));
    expect(await getCode(engine.transcribe(makeRequest(1, { caller: 'c' })))).toBe('queue_full');
    stopping.abort();
    expect(await getCode(first)).toBe('upload_aborted');
    expect(await getCode(second)).toBe('upload_aborted');
  });
});

describe('The process of the engine', () => {
  test('Ends a cancelled computation and works on the next job', async () => {
    const { engine } = await start('parakeet', { cancelMs: 1 });
    const stopping = new AbortController();
    const { begun, onProgress } = awaitWork();
    const job = engine.transcribe(makeRequest(LONG_S, { signal: stopping.signal, onProgress }));
    await begun;
    const before = engine.status().pid ?? 0;
    stopping.abort();
    expect(await getCode(job)).toBe('upload_aborted');
    await expect.poll(() => isRunning(before)).toBe(false);
    const next = awaitWork();
    const again = new AbortController();
    const other = engine.transcribe(makeRequest(LONG_S, { onProgress: next.onProgress, signal: again.signal }));
    await next.begun;
    expect(engine.status().pid).not.toBe(before);
    again.abort();
    expect(await getCode(other)).toBe('upload_aborted');
  });

  test.each([
    ['SIGKILL', 'engine_out_of_memory'],
    ['SIGSEGV', 'engine_crashed'],
  ] as const)('Names the end by %s and works on the next job', async (signal, code) => {
    const { engine } = await share();
    const { begun, onProgress } = awaitWork();
    const job = engine.transcribe(makeRequest(LONG_S, { caller: 'a', onProgress }));
    const waiting = engine.transcribe(makeRequest(1, { caller: 'b' }));
    await begun;
    process.kill(engine.status().pid ?? 0, signal);
    expect(await getCode(job)).toBe(code);
    expect((await waiting).text).toMatch(WORDS);
  });

  test('Gives the memory back when it is idle, and loads again', async () => {
    const { engine, log } = await start('parakeet', { idleMs: 1 });
    const { begun, onProgress } = awaitWork();
    const job = engine.transcribe(makeRequest(1, { onProgress }));
    await begun;
    const pid = engine.status().pid ?? 0;
    await job;
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(engine.status()).toMatchObject({ model: undefined, memoryBytes: 0 });
    expect(log()).toContain('speech model unloaded');
    expect((await engine.transcribe(makeRequest(1))).text).toMatch(WORDS);
  });

  test.skipIf(process.platform !== 'linux')('Does not inherit how the server allocates memory', async () => {
    vi.stubEnv('MALLOC_ARENA_MAX', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { engine } = await start();
    const { begun, onProgress } = awaitWork();
    const job = engine.transcribe(makeRequest(1, { onProgress }));
    await begun;
    const environment = await readFile(`/proc/${engine.status().pid}/environ`, 'utf8');
    expect(environment).toContain('PATH=');
    expect(environment).not.toContain('MALLOC_ARENA_MAX');
    await job;
  });

  test('Starts no process for a job that waits while the engine closes', async () => {
    const looked = Promise.withResolvers<void>();
    const closing = Promise.withResolvers<void>();
    const installed = await startLocalEngine();
    onTestFinished(installed.stop);
    const findInUse = async () => {
      looked.resolve();
      await closing.promise;
      return installed.models.findInUse();
    };
    const { engine, log } = await start('none', { models: { ...installed.models, findInUse } });
    const job = engine.transcribe(makeRequest(1));
    await looked.promise;
    const closed = engine.close();
    closing.resolve();
    expect(await getCode(job)).toBe('transcription_unavailable');
    await closed;
    expect(log()).not.toContain('speech model loaded');
  });

  test.each([
    [
      'was cut or is none',
      [[makeWhisperModel().subarray(0, 2_000_000)], [Buffer.alloc(10_000, 7)], [Buffer.from('x')]],
    ],
    ['is of another kind', [[makeWhisperModel(), 'parakeet'], [makeParakeetModel()]]],
  ] as const)('Names a model that %s, and goes on with another one', async (_what, broken) => {
    const { engine, install } = await start('none');
    for (const [index, [content, kind]] of broken.entries()) {
      await install(content, { name: `broken-${index}`, ...(kind !== undefined && { kind }) });
      expect(await getCode(engine.transcribe(makeRequest(1)))).toBe('model_unusable');
    }
    await install(makeWhisperModel());
    expect(await getCode(engine.transcribe(makeRequest(1)))).toBe('no error');
  });

  test('Calls no debugger where a model ends the engine', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'smca-gdb-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const called = path.join(folder, 'called');
    for (const debug of ['gdb', 'lldb'])
      await writeFile(path.join(folder, debug), `#!/bin/sh\ntouch '${called}'\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { engine, install } = await start('none');
    await install(makeWhisperModel(), { kind: 'parakeet' });
    expect(await getCode(engine.transcribe(makeRequest(1)))).toBe('model_unusable');
    expect(existsSync(called)).toBe(false);
  });

  test('Refuses a model that cannot fit into the memory before it reads it', async () => {
    const { engine, log, installSparse, install } = await start('none');
    await installSparse('huge', 2 ** 40);
    expect(await getCode(engine.transcribe(makeRequest(1)))).toBe('engine_out_of_memory');
    expect(engine.status()).toMatchObject({ model: undefined, jobs: 0 });
    await install(makeWhisperModel());
    expect((await engine.transcribe(makeRequest(1))).text).toBe(FIRST);
    expect(log()).not.toContain('"model":"huge"');
  });

  test('Logs length, time and memory of a job, and no word of it', async () => {
    const { engine, log } = await share();
    await engine.transcribe(makeRequest(3));
    expect(log()).toMatch(/"audioS":3,"workMs":\d+,"waitedMs":\d+,"memoryMb":\d+/);
    expect(log()).not.toContain(PARAKEET_WORD);
  });
});
