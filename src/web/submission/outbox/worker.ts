import { drain, type DrainDeps } from './drain.ts';

/** How long after a round that left something the backend is asked again: a lost connection is often back at once. */
const ASK_AGAIN_FIRST_MS = 1_000;
const ASK_AGAIN_MOST_MS = 15_000;
const LOCK = 'outbox';

export type Locks = Pick<LockManager, 'request'>;

export type WorkerDeps = DrainDeps &
  Readonly<{
    locks: Locks | undefined;
    /** Whether any part of the backend answers. */
    reachable: () => Promise<boolean>;
    /** Calls again after `ms`; returns the way to stop that. */
    later: (call: () => void, ms: number) => () => void;
  }>;

export type OutboxWorker = Readonly<{
  /** Something may have to be sent, or may go now. */
  kick: () => void;
  stop: () => void;
}>;

/**
 * Sends the outbox of one owner by itself. One tab at a time: the lock is waited for, and it ends with its tab, so that
 * the next one takes over what a crash left.
 */
export function startWorker(deps: WorkerDeps, owner: string): OutboxWorker {
  let stopped = false;
  let wanted = false;
  let running = false;
  let forget = (): void => undefined;
  let pause = ASK_AGAIN_FIRST_MS;
  const kick = (): void => {
    pause = ASK_AGAIN_FIRST_MS;
    wake();
  };
  const round = async (): Promise<void> => {
    if (stopped || (await deps.store.list(owner)).length === 0) return;
    const outcome = (await deps.reachable()) ? await alone(deps.locks, () => drain(deps, owner)) : 'offline';
    if (outcome === 'empty' || stopped) return;
    forget = deps.later(wake, pause);
    pause = Math.min(2 * pause, ASK_AGAIN_MOST_MS);
  };
  const run = async (): Promise<void> => {
    running = true;
    while (wanted) {
      wanted = false;
      forget();
      await round().catch((error: unknown) => console.warn('outbox:', error instanceof Error ? error.name : ''));
    }
    running = false;
  };
  function wake(): void {
    wanted = true;
    if (!running && !stopped) void run();
  }
  return {
    kick,
    stop: () => {
      stopped = true;
      forget();
    },
  };
}

let last: Promise<unknown> = Promise.resolve();

/** Without Web Locks at least this tab does one thing after the other. */
async function alone<T>(locks: Locks | undefined, work: () => Promise<T>): Promise<T> {
  if (locks !== undefined) return locks.request(LOCK, work);
  const mine = last.then(work, work);
  last = mine.catch(() => undefined);
  return mine;
}
