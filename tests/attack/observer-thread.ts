import { parentPort, workerData } from 'node:worker_threads';
import { setTimeout as wait } from 'node:timers/promises';
import { residentMemory } from './memory.ts';
import type { Observed, Phase } from './observer.ts';

const PAUSE_MS = 25;
const PATIENCE_MS = 30_000;
const SELECT = '/rest/v1/interviews?select=id,created_at&order=id.desc&limit=20';

type Seen = { selects: number[]; health: number[]; failed: string[]; memory: number[]; pending: number };

const { url, pid, headers } = workerData as Observed;

function newPhase(): Seen {
  return { selects: [], health: [], failed: [], memory: [], pending: 0 };
}

let seen = newPhase();

async function ask(path: string): Promise<{ ms: number; status: string }> {
  const begun = performance.now();
  const response = await fetch(`${url}${path}`, { headers, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    () => undefined,
  );
  await response?.arrayBuffer().catch(() => undefined);
  return { ms: performance.now() - begun, status: String(response?.status ?? 'cut') };
}

/** An answer belongs to the phase in which it was asked for. */
async function repeat(work: (phase: Seen) => Promise<void>): Promise<void> {
  for (;;) {
    const phase = seen;
    phase.pending += 1;
    await work(phase);
    phase.pending -= 1;
    await wait(PAUSE_MS);
  }
}

async function summarize(phase: Seen): Promise<Phase> {
  while (phase.pending > 0) await wait(PAUSE_MS);
  const { selects, health, failed, memory } = phase;
  const peak = Math.max(0, ...memory);
  return { selects, health, failed, memory: { first: memory[0] ?? 0, peak, last: memory.at(-1) ?? 0 } };
}

async function endPhase(): Promise<void> {
  const ended = seen;
  // A phase in which nothing was answered has no figures.
  while ([ended.selects, ended.health, ended.memory].some(({ length }) => length === 0)) await wait(PAUSE_MS);
  seen = newPhase();
  parentPort?.postMessage(await summarize(ended), []);
}

parentPort?.on('message', () => void endPhase());

await Promise.all([
  repeat(async (phase) => {
    const { ms, status } = await ask(SELECT);
    phase.selects.push(ms);
    if (status !== '200') phase.failed.push(status);
  }),
  repeat(async (phase) => void phase.health.push((await ask('/health')).ms)),
  repeat(async (phase) => void phase.memory.push((await residentMemory(pid)) ?? 0)),
]);
