import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import { causeOf } from '../faults.ts';
import type { Period } from '../period.ts';
import { erase, eraseStragglers, type ErasureTools } from './erase.ts';

export type WorkerDeps = ErasureTools &
  Readonly<{
    log: Pick<FastifyBaseLogger, 'info' | 'error'>;
    /** Milliseconds that an answer to the one who asked may take. */
    patienceMs: number;
    period: Period | undefined;
  }>;

/** Does erasures one after the other, whatever they were asked by, and takes up what was left unfinished. */
export type Worker = Readonly<{
  /** Its receipt; undefined where it takes longer and goes on by itself. Throws where it failed and is tried again. */
  run: (erasure: string) => Promise<ErasureReceipt | undefined>;
  /** Records the erasure of all that was handed in before; `by` is an account's id. */
  retain: (before: string, by: string) => Promise<string>;
  start: () => void;
  /** Resolves when nothing is under way any more. */
  stop: () => Promise<void>;
}>;

const FIRST_PAUSE_MS = 5_000;
const HOUR_MS = 3_600_000;

export function createWorker(deps: WorkerDeps): Worker {
  const { steps, log } = deps;
  const over = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const lookAgain = (ms: number): void => {
    clearTimeout(timer);
    if (!over.signal.aborted) timer = setTimeout(() => void inTurn(look), ms).unref();
  };
  const finish = async (erasure: string | undefined): Promise<ErasureReceipt | undefined> => {
    const { claimed, open } = await steps.claim(erasure);
    if (claimed === null) {
      // Another server works on it, or did when it went down.
      if (open > 0) lookAgain(FIRST_PAUSE_MS);
      return undefined;
    }
    try {
      const receipt = await erase(deps, claimed, over.signal);
      pause = FIRST_PAUSE_MS;
      log.info({ erasure: receipt.id, contributions: receipt.contributions }, 'desk: erased');
      return receipt;
    } catch (error) {
      log.error({ erasure: claimed.id, cause: causeOf(error) }, 'desk: an erasure is not finished');
      await steps.release(claimed.id).catch(() => undefined);
      lookAgain(pause);
      pause = Math.min(HOUR_MS, pause * 2);
      throw error;
    }
  };
  const look = async (): Promise<void> => {
    lookAgain(HOUR_MS);
    try {
      if (deps.period !== undefined) await steps.retainDaily(deps.period);
      while (!over.signal.aborted && (await finish(undefined)) !== undefined);
      await eraseStragglers(deps);
    } catch (error) {
      log.error({ cause: causeOf(error) }, 'desk: looked in vain for what has to be erased');
    }
  };
  return {
    run: (erasure) => {
      const done = inTurn(() => finish(erasure));
      return Promise.race([done, wait(deps.patienceMs, undefined, { ref: false })]);
    },
    retain: steps.retain,
    start: () => void inTurn(look),
    stop: async () => {
      over.abort();
      clearTimeout(timer);
      await last;
    },
  };
}
