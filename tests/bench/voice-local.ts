import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson } from '#lib/parse-json.ts';
import { TURN_TAKING } from '#server/voice-agent/embedded/turn-taking.ts';
import { installModel } from '#tests/support/local-engine.ts';
import { median } from '#tests/support/percentile.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { fixturePcm } from '#tests/support/voice-audio.ts';
import { makeWhisperModel } from '#tests/support/whisper-model.ts';
import { ceiling, type Row } from './table.ts';
import { getCaller, GREETING_MS, speakUntilAnswered, speechEndsMs, SPOKEN } from './voice.ts';

const TURNS = 6;
const START_POLL_MS = 100;
const JobSchema = z.object({ msg: z.literal('transcribed on this machine'), workMs: z.number() });

/**
 * From the end of 0.9 s of silence to the next question, with a model on this machine, beside the engine's own time for
 * the same turns. The model is generated: it computes little, so our share shows.
 */
export async function localVoiceRows(): Promise<Row[]> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-bench-local-'));
  await installModel(path.join(dataDir, 'models'), makeWhisperModel());
  const server = spawnServer({ DATA_DIR: dataDir, LOG_LEVEL: 'info', VOICE_MINUTES_PER_DAY: '1000000' });
  try {
    const url = await server.url;
    // At this level the log names the address before the first accounts are made.
    while (!(await fetch(`${url}/health`)).ok) await wait(START_POLL_MS);
    const waits = await measureWaits(url, dataDir);
    // The first turn loads the model.
    const engine = median(readWorkMs(server).slice(1));
    const turn = median(waits.slice(1));
    return [
      ceiling('voice on this machine: silence to next question, p50', turn, 'ms'),
      ceiling('voice on this machine: the engine’s own time of it, p50', engine, 'ms'),
      ceiling('voice on this machine: our share of it, p50', turn - engine, 'ms', 50),
      ceiling('voice on this machine: wait to the engine’s own time', (100 * turn) / engine, '%'),
    ];
  } finally {
    await server.end('SIGTERM');
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measureWaits(url: string, dataDir: string): Promise<number[]> {
  const call = await getCaller(url, dataDir);
  const sentence = await fixturePcm('satz-a.wav');
  const silenceEndsMs = (await speechEndsMs(sentence)) + TURN_TAKING.endSilenceMs;
  const waits: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const made = await call({}, SPOKEN);
    await made.until('agent_response');
    await wait(GREETING_MS);
    const begun = performance.now();
    waits.push((await speakUntilAnswered(made, sentence, begun)) - begun - silenceEndsMs);
    made.socket.close();
  }
  return waits;
}

function readWorkMs(server: ServerProcess): number[] {
  return server
    .output()
    .split('\n')
    .flatMap((line) => {
      const job = JobSchema.safeParse(parseJson(line));
      return job.success ? [job.data.workMs] : [];
    });
}
