import { mkdtemp, readFile, rm } from 'node:fs/promises';
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
/** Linux counts in hundredths of a second. */
const TICK_MS = 10;
const MEBIBYTE = 1024 * 1024;

/** Transcription on the machine itself, with a generated model that computes next to nothing. */
export async function speechRows(): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-bench-speech-'));
  const models = path.join(folder, 'models');
  await installModel(models, makeParakeetModel(), { kind: 'parakeet' });
  const store = openModelStore({ folder: models, freeRoom: { bytes: 0, percent: 0 }, catalogue: [] });
  const model = await store.findInUse();
  const recording = await makeOpusFile('webm', FIVE_MINUTES);
  const options = { models: store, threads: 1, log: pino({ level: 'silent' }) };
  const engine = createLocalEngine(options);
  const hastyEngine = createLocalEngine({ ...options, idleMs: 1 });
  try {
    const nativeMs = await timeNative(model?.path ?? '', await decodeAudio(recording));
    return [await decodeRow(recording), await overheadRow(engine, recording, nativeMs), await idleRow(hastyEngine)];
  } finally {
    await Promise.all([engine.close(), hastyEngine.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function decodeRow(recording: Uint8Array<ArrayBuffer>): Promise<Row> {
  const begun = readOwnMs();
  await decodeAudio(recording);
  return ceiling('decoding five minutes of Opus, processor', readOwnMs() - begun, 'ms', DECODE_MS);
}

/** ms of the processor that this process took: other work on the machine does not count. */
function readOwnMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The same of another process, from its 14th and 15th field. */
async function readProcessMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** What the native code takes for the pieces of a recording, without anything around it. */
async function timeNative(file: string, samples: Int16Array<ArrayBuffer>): Promise<number> {
  const native = loadNativeModel('parakeet', file);
  const begun = readOwnMs();
  for (const { from, to } of cutAtPauses(samples, PARAKEET_PIECES)) {
    const options = { language: 'de', prompt: '', maxThreads: 1 };
    await native.transcribeData(samples.slice(from, to).buffer, options).promise;
  }
  return readOwnMs() - begun;
}

async function overheadRow(engine: LocalEngine, recording: Uint8Array<ArrayBuffer>, nativeMs: number): Promise<Row> {
  const transcribe = () => engine.transcribe(makeFileRequest(recording, { type: 'webm' }));
  // Loads the model, which the second job finds in memory.
  await transcribe();
  const { pid = 0 } = engine.status();
  const readMs = async (): Promise<number> => readOwnMs() + (await readProcessMs(pid));
  const before = await readMs();
  await transcribe();
  const ours = (await readMs()) - before - nativeMs;
  return ceiling('work around the model, five minutes of Opus, processor', Math.max(0, ours), 'ms', OVERHEAD_MS);
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
