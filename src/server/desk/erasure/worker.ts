import { setTimeout as wait } from 'node:timers/promises';
import { describeCause } from '#lib/error-code.ts';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import { createSerialQueue } from '#lib/serial-queue.ts';
import { attempt, round, type RoundDeps } from './round.ts';

export type WorkerDeps = Omit<RoundDeps, 'signal'> &
  Readonly<{
    /** Milliseconds that an answer to the one who asked may take. */
    patienceMs: number;
  }>;

/** Does erasures one after the other, whoever wants them, and takes up what was left unfinished. */
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

export function createWorker(given: WorkerDeps): Worker {
  const over = new AbortController();
  const deps: RoundDeps = { ...given, signal: over.signal };
  const queue = createSerialQueue();
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;

  const lookIn = (ms: number): void => {
    clearTimeout(timer);
    if (!over.signal.aborted) timer = setTimeout(() => void queue.run(look), ms).unref();
  };
  const look = async (): Promise<void> => {
    const outcome = await round(deps).catch((error: unknown) => {
      deps.log.error({ cause: describeCause(error) }, 'desk: what has to be erased is not all erased');
      return 'open' as const;
    });
    lookIn(outcome === 'settled' ? HOUR_MS : pause);
    pause = outcome === 'settled' ? FIRST_PAUSE_MS : Math.min(HOUR_MS, pause * 2);
  };
  return {
    run: (erasure) => {
      const done = queue.run(async () => {
        // There is something to do afterwards, whatever comes of it.
        lookIn(FIRST_PAUSE_MS);
        const outcome = await attempt(deps, erasure);
        return outcome.kind === 'done' ? outcome.receipt : undefined;
      });
      return Promise.race([done, wait(given.patienceMs, undefined, { ref: false })]);
    },
    retain: deps.steps.retain,
    start: () => void queue.run(look),
    stop: async () => {
      over.abort();
      clearTimeout(timer);
      await queue
        .run(() => deps.remains.remove())
        .catch((error: unknown) => {
          deps.log.error(
            { cause: describeCause(error) },
            'desk: the disk still holds what was erased; the next start sees to it',
          );
        });
    },
  };
}
