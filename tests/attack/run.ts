import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '#tests/support/percentile.ts';
import type { Attack } from './attack.ts';
import { startObserver, type Phase } from './observer.ts';
import { createTally, type Tally } from './tally.ts';
import { startTarget, type Target } from './target.ts';

/** How long each phase is watched, in ms; the attack itself may take longer. */
export type Pace = Readonly<{ warmUp: number; calm: number; attack: number; recovery: number }>;

const PACE: Pace = { warmUp: 1_500, calm: 3_000, attack: 2_000, recovery: 2_000 };
const LIMIT_MS = 60_000;
const MEMORY_MIB = 150;
const STOP_MS = 10_000;
const HEALTH_MS = 500;
/** Others may wait twice as long as in calm, or this long where calm is only milliseconds: below it nobody notices. */
const FELT_RATIO = 2;
const UNNOTICED_MS = 50;

/** What one attack did, and what became of the server and of those beside it. */
export type Outcome = Readonly<{
  attack: Attack;
  tally: Tally;
  memory: Readonly<{ before: number; peak: number; after: number }>;
  /** p95 of a member's select and of /health, in ms. */
  felt: Readonly<{ calm: number; during: number; health: number }>;
  /** Undefined where the server had to be killed. */
  stopMs: number | undefined;
  /** Claims that hold on any machine. */
  broken: readonly string[];
  /** Claims about time, which a busy machine can break. */
  slow: readonly string[];
}>;

/**
 * Runs one attack against a server of its own, started from the data folder `used`. `beside`: the member is one of
 * another server, which nobody attacks: what is felt there is the work of attacker and server on the same processors.
 */
export async function runAttack(attack: Attack, used: string, pace = PACE, beside = false): Promise<Outcome> {
  const arranged = await attack.arrange();
  const target = await startTarget(used, arranged.env ?? {});
  const other = beside ? await startTarget(used, {}) : undefined;
  const { url, member } = other ?? target;
  const observer = startObserver({ url, pid: target.pid, headers: member });
  const tally = createTally();
  let phases: { calm: Phase; during: Phase; after: Phase } | undefined;
  let stopMs: number | undefined;
  try {
    await wait(pace.warmUp);
    await observer.nextPhase();
    await wait(pace.calm);
    const calm = await observer.nextPhase();
    await Promise.all([attackWithin(attack, arranged.run(target, tally), tally), wait(pace.attack)]);
    const during = await observer.nextPhase();
    await wait(pace.recovery);
    phases = { calm, during, after: await observer.nextPhase() };
    await checkAlive(target, tally);
  } finally {
    await observer.stop();
    stopMs = await target.stop();
    await other?.stop();
    await arranged.close?.();
  }
  return judge(attack, tally, phases, stopMs);
}

async function attackWithin(attack: Attack, running: Promise<void>, tally: Tally): Promise<void> {
  const over = new AbortController();
  const limit = wait(attack.limitMs ?? LIMIT_MS, 'late', { signal: over.signal }).catch(() => undefined);
  const ended = running.catch((error: unknown) => tally.fail(error instanceof Error ? error.message : String(error)));
  if ((await Promise.race([ended, limit])) === 'late') tally.fail('the attack was not over in time');
  over.abort();
}

async function checkAlive(target: Target, tally: Tally): Promise<void> {
  if (!target.isAlive()) return tally.fail('the server ended');
  const health = await fetch(`${target.url}/health`, { signal: AbortSignal.timeout(STOP_MS) }).catch(() => undefined);
  if (health?.status !== 200) tally.fail(`/health afterwards: ${health?.status ?? 'no answer'}`);
}

type Phases = Readonly<{ calm: Phase; during: Phase; after: Phase }>;

function judge(attack: Attack, tally: Tally, phases: Phases, stopMs: number | undefined): Outcome {
  const { calm, during, after } = phases;
  const memory = {
    before: calm.memory.last,
    peak: Math.max(during.memory.peak, after.memory.peak),
    after: after.memory.last,
  };
  const felt = { calm: p95(calm.selects), during: p95(during.selects), health: p95(during.health) };
  const grown = memory.peak - memory.before;
  const most = attack.memory ?? MEMORY_MIB;
  const broken = [
    ...tally.failures(),
    ...(grown > most ? [`memory grew by ${grown.toFixed(0)} MiB (at most ${most})`] : []),
    ...(during.failed.length > 0
      ? [`${during.failed.length} of the member's selects failed (${during.failed[0]})`]
      : []),
  ];
  const slow = [
    ...(isFelt(felt) ? [`others waited ${(felt.during / felt.calm).toFixed(1)} × as long`] : []),
    ...(felt.health > HEALTH_MS ? [`/health took ${felt.health.toFixed(0)} ms`] : []),
    ...(stopMs === undefined || stopMs > STOP_MS ? ['the server did not stop within 10 s'] : []),
  ];
  return { attack, tally, memory, felt, stopMs, broken, slow };
}

function isFelt({ calm, during }: Outcome['felt']): boolean {
  return during > UNNOTICED_MS && during > FELT_RATIO * calm;
}

function p95(times: readonly number[]): number {
  return percentile(times, 0.95);
}
