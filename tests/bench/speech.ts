import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { decodeAudio } from '#server/speech/local/decode.ts';
import { createLocalEngine, type LocalEngine } from '#server/speech/local/engine.ts';
import { loadNativeModel } from '#server/speech/local/native.ts';
import { cutAtPauses } from '#server/speech/local/pieces.ts';
import { openModelStore } from '#server/speech/models/store.ts';
import { installModel, makeFileRequest } from '#tests/support/local-engine.ts';
import { makeParakeetModel } from '#tests/support/parakeet-model.ts';
import { makeOpusFile } from '#tests/support/speech-audio.ts';
import { memory } from './subject.ts';
import { ceiling, type Row } from './table.ts';

/** The committed recording has 3 s. */
const FIVE_MINUTES = 100;
const DECODE_MS = 3_000;
/** 5 % of the 30 s that a fast model takes for five minutes on four processors. */
const OVERHEAD_MS = 1_500;
const GIVEN_BACK_PERCENT = 90;
const PARAKEET_PIECES = { shortestS: 12, longestS: 24 };
const LOOK_MS = 20;
const MEBIBYTE = 1024 * 1024;

/** Transcription on the machine itself, with a generated model that computes next to nothing. */
export async function speechRows(): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-bench-speech-'));
  const models = path.join(folder, 'models');
  await installModel(models, makeParakeetModel(), { kind: 'parakeet' });
  const store = openModelStore({ folder: models, freeRoom: { bytes: 0, percent: 0 }, catalogue: [] });
  const model = await store.findInUse();
  const recording = await makeOpusFile('webm', FIVE_MINUTES);
  const engine = createLocalEngine({ models: store, threads: 1, idleMs: 1, log: pino({ level: 'silent' }) });
  try {
    const nativeMs = await timeNative(model?.path ?? '', await decodeAudio(recording));
    return [await decodeRow(recording), await overheadRow(engine, recording, nativeMs), await idleRow(engine)];
  } finally {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function decodeRow(recording: Uint8Array<ArrayBuffer>): Promise<Row> {
  const begun = performance.now();
  await decodeAudio(recording);
  return ceiling('decoding five minutes of Opus', performance.now() - begun, 'ms', DECODE_MS);
}

/** What the native code takes for the pieces of a recording, without anything around it. */
async function timeNative(file: string, samples: Int16Array<ArrayBuffer>): Promise<number> {
  const native = loadNativeModel('parakeet', file);
  const begun = performance.now();
  for (const { from, to } of cutAtPauses(samples, PARAKEET_PIECES)) {
    const options = { language: 'de', prompt: '', maxThreads: 1 };
    await native.transcribeData(samples.slice(from, to).buffer, options).promise;
  }
  return performance.now() - begun;
}

async function overheadRow(engine: LocalEngine, recording: Uint8Array<ArrayBuffer>, nativeMs: number): Promise<Row> {
  // Loads the model, which later jobs find in memory.
  const first = engine.transcribe(makeFileRequest(recording, { type: 'webm' }));
  const begun = performance.now();
  const second = engine.transcribe(makeFileRequest(recording, { type: 'webm' }));
  await first;
  const loadedMs = performance.now() - begun;
  await second;
  const ours = performance.now() - begun - loadedMs - nativeMs;
  return ceiling('work around the model, five minutes of Opus', Math.max(0, ours), 'ms', OVERHEAD_MS);
}

async function idleRow(engine: LocalEngine): Promise<Row> {
  let busy = 0;
  const job = engine.transcribe(
    makeFileRequest(await makeOpusFile('webm'), {
      type: 'webm',
      onProgress: () => {
        busy = Math.max(busy, engine.status().memoryBytes);
      },
    }),
  );
  const pid = await awaitProcess(engine);
  await job;
  const left = await awaitEnd(pid);
  const percent = (100 * (busy - left)) / busy;
  return {
    what: `memory given back when idle, of ${Math.round(busy / MEBIBYTE)} MB`,
    ours: `${percent.toFixed(0)} %`,
    aim: `≥ ${GIVEN_BACK_PERCENT} %`,
    met: percent >= GIVEN_BACK_PERCENT,
  };
}

async function awaitProcess(engine: LocalEngine): Promise<number> {
  for (;;) {
    const { pid } = engine.status();
    if (pid !== undefined) return pid;
    await wait(LOOK_MS);
  }
}

/** Bytes that the process still has when it is idle: none once it has ended. */
async function awaitEnd(pid: number): Promise<number> {
  for (;;) {
    const left = await memory(pid).then(
      ({ now }) => now,
      () => 0,
    );
    if (left === 0) return 0;
    await wait(LOOK_MS);
  }
}
