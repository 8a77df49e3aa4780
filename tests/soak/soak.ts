import { setTimeout as wait } from 'node:timers/promises';
import { enterAs } from '#tests/support/first-accounts.ts';
import { seededRandom } from '#tests/support/seeded-random.ts';
import { checkLedger, type Check } from './check.ts';
import { chooseFaults, type Fault } from './faults.ts';
import type { Installation } from './installation.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { startWriters, type Refusals } from './writers.ts';

export type SoakResult = Readonly<{
  faults: ReadonlyMap<Fault['name'], number>;
  kills: number;
  check: Check;
  refusals: Refusals;
  failedStarts: number;
  unexpectedEnds: readonly string[];
  worstStartMs: number;
  /** From a fault to the first acknowledged write after it. */
  worstRecoveryMs: number;
  /** Faults after which no write was acknowledged in time. */
  unrecovered: number;
}>;

const WRITERS_PER_SERVER = 3;
/** So many acknowledged writes lie between two faults, so that each meets a server at work. */
const WRITES_BETWEEN = 6;
const RECOVERY_LIMIT_MS = 60_000;
const POLL_MS = 20;
/** From one fault to the end of the writers' rest after it. */
const CALM_MS = 6_000;

/**
 * Writes and breaks things until `until` (of performance.now()), but not before every fault has struck `rounds` times,
 * then checks everything that was acknowledged.
 */
export async function soak(
  installation: Installation,
  faults: readonly Fault[],
  options: Readonly<{ until: number; seed: number; calm?: boolean; kills?: number; rounds?: number }>,
): Promise<SoakResult> {
  const random = seededRandom(options.seed);
  const ledger = createLedger();
  const refusals: Refusals = new Map();
  const admin = await enterAs(installation.urls[0] ?? '', installation.dataDir, 'admin');
  const writers = startWriters(await openAccesses(installation), ledger, refusals);
  const counts = new Map<Fault['name'], number>();
  let kills = 0;
  let worstRecoveryMs = 0;
  let unrecovered = 0;
  const { until, rounds = 0, kills: mostKills = Number.POSITIVE_INFINITY } = options;
  let left = rounds * faults.length;
  for (const fault of chooseFaults(faults, rounds, random)) {
    if (left <= 0 && (performance.now() >= until || kills >= mostKills)) break;
    left -= 1;
    const server = Math.floor(random() * installation.urls.length);
    const begun = performance.now();
    const remains = await fault.strike(installation, server);
    // A full disk stays full until it has refused something.
    if (fault.name === 'disk full') await waitUntil(() => (refusals.get('507') ?? 0) > 0, RECOVERY_LIMIT_MS / 6);
    await remains.end();
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
    if (fault.isKill) kills += 1;
    const recoveryMs = await waitForWrites(ledger, begun);
    if (recoveryMs === undefined) unrecovered += 1;
    else worstRecoveryMs = Math.max(worstRecoveryMs, recoveryMs);
    const restMs = options.calm === true ? begun + CALM_MS - performance.now() : 0;
    if (restMs <= 0) continue;
    await writers.rest(restMs);
    // The next fault meets writers at work.
    if ((await waitForWrites(ledger, begun)) === undefined) unrecovered += 1;
  }
  await writers.stop();
  const check = await checkLedger(ledger, admin.client);
  return {
    faults: counts,
    kills,
    check,
    refusals,
    failedStarts: installation.failedStarts(),
    unexpectedEnds: installation.unexpectedEnds(),
    worstStartMs: Math.max(...installation.startTimes),
    worstRecoveryMs,
    unrecovered,
  };
}

/** Resolves with the time from `begun` to the first acknowledged write, after some more have come. */
async function waitForWrites(ledger: Ledger, begun: number): Promise<number | undefined> {
  const before = ledger.acknowledged();
  if (!(await waitUntil(() => ledger.acknowledged() > before, RECOVERY_LIMIT_MS))) return undefined;
  const recoveryMs = performance.now() - begun;
  await waitUntil(() => ledger.acknowledged() >= before + WRITES_BETWEEN, RECOVERY_LIMIT_MS);
  return recoveryMs;
}

async function waitUntil(isReached: () => boolean, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (!isReached() && performance.now() < deadline) await wait(POLL_MS);
  return isReached();
}

/** Writers of one account; each speaks to one server for the whole run. */
async function openAccesses(installation: Installation): Promise<Parameters<typeof startWriters>[0]> {
  const opened = installation.urls.map(async (url) => {
    const { client } = await enterAs(url, installation.dataDir, 'vdi_admin');
    const config: unknown = await (await fetch(`${url}/config.json`)).json();
    const access = { url, client, key: String(Object(config).supabaseKey) };
    return Array.from({ length: WRITERS_PER_SERVER }, () => access);
  });
  return (await Promise.all(opened)).flat();
}
