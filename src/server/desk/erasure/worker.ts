import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyBaseLogger } from 'fastify';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import { describeCause, getMessage } from '#lib/error-code.ts';
import { createSerialQueue } from '#lib/serial-queue.ts';
import type { MailSearch } from '../../mail/index.ts';
import { DeskError } from '../error.ts';
import type { ClaimedErasure, Compaction, Period, Steps } from './steps.ts';

type WorkerOptions = Omit<RoundOptions, 'signal'> &
  Readonly<{
    /** Milliseconds that `run` waits for the receipt. */
    receiptTimeoutMs: number;
  }>;

export type Worker = ReturnType<typeof createWorker>;

const FIRST_PAUSE_MS = 5_000;
const HOUR_MS = 3_600_000;

/**
 * Runs erasures one after the other and resumes unfinished ones. `run` returns the receipt, or undefined if the erasure
 * takes longer; it throws after a failure, and the worker retries. `stop` resolves when the current one has stopped.
 */
export function createWorker(given: WorkerOptions) {
  const over = new AbortController();
  const deps: RoundOptions = { ...given, signal: over.signal };
  const queue = createSerialQueue();
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;
  const ofLastRound = new Map<string, ErasureReceipt>();

  const schedule = (ms: number): void => {
    clearTimeout(timer);
    if (!over.signal.aborted) timer = setTimeout(() => void queue.run(poll), ms).unref();
  };
  const poll = async (): Promise<void> => {
    ofLastRound.clear();
    const outcome = await runRound(deps, ofLastRound).catch((error: unknown) => {
      deps.log.error({ cause: describeCause(error), pauseMs: pause }, 'desk: erasure incomplete, retrying');
      return 'open' as const;
    });
    schedule(outcome === 'done' ? HOUR_MS : pause);
    pause = outcome === 'done' ? FIRST_PAUSE_MS : Math.min(HOUR_MS, pause * 2);
  };
  return {
    run: (erasure: string): Promise<ErasureReceipt | undefined> => {
      const done = queue.run(async () => {
        // Late arrivals and the compaction are due even after a failure. The last round may have taken the erasure.
        schedule(FIRST_PAUSE_MS);
        const outcome = await runErasure(deps, erasure);
        return outcome.kind === 'done' ? outcome.receipt : ofLastRound.get(erasure);
      });
      return Promise.race([done, wait(given.receiptTimeoutMs, undefined, { ref: false })]);
    },
    recordRetention: deps.steps.recordRetention,
    start: () => void queue.run(poll),
    stop: async (): Promise<void> => {
      over.abort();
      clearTimeout(timer);
      await queue.run(() => compactNow(deps));
    },
  };
}

/** Returns whether nothing is left to do. The message of a failure names the tables in use. */
async function compactNow({ compaction, log }: RoundOptions): Promise<boolean> {
  try {
    await compaction.run();
    return true;
  } catch (error) {
    log.error({ cause: getMessage(error) }, 'desk: erased rows are still on the disk, retrying');
    return false;
  }
}

type RoundOptions = ErasureTools &
  Readonly<{
    period: Period | undefined;
    compaction: Compaction;
    /** Aborted when the server stops; the next start resumes. */
    signal: AbortSignal;
  }>;

/** `busy`: another server has claimed an erasure and may have crashed. */
type ErasureOutcome = Readonly<{ kind: 'done'; receipt: ErasureReceipt } | { kind: 'failed' | 'busy' | 'none' }>;

/** Runs every due erasure until ten have failed: the next round begins with the others. `open`: some are left. */
async function runRound(deps: RoundOptions, receipts: Map<string, ErasureReceipt>): Promise<'done' | 'open'> {
  const { steps, period, signal } = deps;
  if (period !== undefined) await steps.recordDailyRetention(period);
  let outcome = await runErasure(deps);
  for (let left = 10; outcome.kind === 'done' || outcome.kind === 'failed'; outcome = await runErasure(deps)) {
    if (outcome.kind === 'done') receipts.set(outcome.receipt.id, outcome.receipt);
    else left -= 1;
    if (signal.aborted || left === 0) break;
  }
  // What the database has to forget does not wait for a store that is away.
  const [late] = await Promise.allSettled([eraseLateArrivals(deps)]);
  const compacted = await compactNow(deps);
  if (late.status === 'rejected') throw late.reason;
  return outcome.kind === 'none' && compacted ? 'done' : 'open';
}

/** Runs this erasure, or the unclaimed one that waits longest. Throws DeskError; a failure only of a named one. */
async function runErasure(deps: RoundOptions, erasure?: string): Promise<ErasureOutcome> {
  const { steps, log, signal, compaction } = deps;
  const { claimed, open } = await steps.claim(erasure);
  if (claimed === null) return { kind: open > 0 ? 'busy' : 'none' };
  try {
    await compaction.schedule();
    const receipt = await erase(deps, claimed, signal);
    log.info({ erasure: receipt.id, contributions: receipt.contributions }, 'desk: erased');
    return { kind: 'done', receipt };
  } catch (error) {
    log.error({ erasure: claimed.id, cause: describeCause(error) }, 'desk: erasure incomplete, retrying');
    await steps.release(claimed.id).catch(() => undefined);
    if (erasure !== undefined) throw error;
    return { kind: 'failed' };
  }
}

type ErasureTools = Readonly<{
  steps: Steps;
  log: Pick<FastifyBaseLogger, 'info' | 'error'>;
  service: () => SupabaseClient;
  mails: MailSearch;
  /** Removes unfinished uploads and all bytes of a folder. Throws while the store is unreachable or keeps a file. */
  removeTraces: (folder: string) => Promise<void>;
}>;

const BUCKET = 'Media';
const NOT_FOUND = 404;

/** Erases files before rows and restarts from the beginning after a failure. Throws DeskError. */
async function erase(tools: ErasureTools, erasure: ClaimedErasure, signal: AbortSignal): Promise<ErasureReceipt> {
  const { steps, log } = tools;
  for (let id = await steps.next(erasure.id); id !== null; id = await steps.next(erasure.id)) {
    signal.throwIfAborted();
    await eraseContribution(tools, erasure.id, id);
    log.info({ erasure: erasure.id, contribution: id }, 'desk: contribution erased');
  }
  if (erasure.email !== null) {
    await erasePerson(tools, erasure, erasure.email);
    // The account may have handed something in until it was gone.
    return erase(tools, { ...erasure, email: null }, signal);
  }
  await eraseLateArrivals(tools);
  // Planner statistics sample erased values; renewing them now does not wait for autovacuum.
  await steps.forget(erasure.id).catch(() => undefined);
  return steps.finish(erasure.id);
}

async function eraseContribution(tools: ErasureTools, erasure: string, id: number): Promise<void> {
  const { steps, mails, removeTraces } = tools;
  const subjects = [{ contribution: id }, ...(await steps.letters(id)).map((letter) => ({ letter }))];
  const letters = await mails.find(subjects);
  const stored = (): Promise<readonly string[]> => steps.begin(erasure, id, letters.length);
  for (let paths = await stored(); paths.length > 0; paths = await stored()) {
    await removeTraces(`${id}/`);
    await removeStored(tools, paths);
  }
  await removeTraces(`${id}/`);
  await mails.remove(letters);
  await steps.removeRows(id);
  // An upload may have begun and a mail may have been written meanwhile.
  await removeTraces(`${id}/`);
  await mails.remove(await mails.find(subjects));
}

async function erasePerson(tools: ErasureTools, { id, account }: ClaimedErasure, address: string): Promise<void> {
  const { steps, mails, service, log } = tools;
  const letters = await mails.find([{ address }]);
  await steps.beginPerson(id, letters.length);
  await mails.remove(letters);
  if (account !== null) {
    const { error } = await service().auth.admin.deleteUser(account);
    if (error !== null && error.status !== NOT_FOUND) throw new DeskError('backend_failed', { cause: error });
  }
  await steps.removePerson(id);
  if (account !== null) log.info({ erasure: id, account }, 'desk: account erased');
}

/** Erases uploads and mails that finished after their contribution was erased. Also runs periodically. */
async function eraseLateArrivals(tools: Pick<ErasureTools, 'steps' | 'service' | 'mails'>): Promise<void> {
  const recentlyErased = await tools.steps.recentlyErased();
  if (recentlyErased.length > 0) await tools.mails.remove(await tools.mails.find(recentlyErased));
  for (let paths = await tools.steps.lateUploads(); paths.length > 0; paths = await tools.steps.lateUploads()) {
    await removeStored(tools, paths);
  }
}

/** Earlier versions of a file were removed when it was replaced. */
async function removeStored({ service }: Pick<ErasureTools, 'service'>, paths: readonly string[]): Promise<void> {
  const { data, error } = await service()
    .storage.from(BUCKET)
    .remove([...paths]);
  if (error !== null || data.length === 0) throw new DeskError('backend_failed', { cause: error });
}
