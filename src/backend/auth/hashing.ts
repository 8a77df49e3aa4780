import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { hash, verify } from '@node-rs/bcrypt';
import { ERRORS } from './errors.ts';

const COST = 10;
/** Two hundred people who log in for the first time at the same moment all get in. */
const MAX_WAITING = 256;
/** People who log in at the same time share a thread; a server at rest has none. */
const IDLE_MS = 2_000;

/** Compares the password with `stored`, or hashes it at this cost where that is undefined. */
export type HashJob = Readonly<{ password: string; stored?: string; cost: number }>;
export type HashAnswer = Readonly<{ value: string | boolean }> | Readonly<{ problem: string }>;

/** Computes hashes with bcrypt, off the main thread. */
type Hasher = Readonly<{
  hash: (password: string) => Promise<string>;
  verify: (password: string, stored: string) => Promise<boolean>;
}>;

const AT_ONCE = Math.min(2, availableParallelism());

// bcrypt runs in the thread pool that file access and new database connections also need.
const knownQueue = createFairQueue(AT_ONCE, Number.POSITIVE_INFINITY, ERRORS.loginsBusy);

/** For callers who are signed in, or whose account was logged in to from exactly their address before. */
export const KNOWN_ADDRESS_HASHER: Hasher = {
  hash: (password) => knownQueue('', () => hash(password, { cost: COST })),
  verify: (password, stored) => knownQueue('', () => verify(password, stored)),
};

const queue = createFairQueue(AT_ONCE, MAX_WAITING, ERRORS.loginsBusy);
const idleThreads = Array.from({ length: AT_ONCE }, () => createHashThread(IDLE_MS));

/**
 * For everybody else, who share threads of low priority: guessers must not take the processors from those who work
 * (decision 0330). The callers' networks take turns. Throws AuthError where too many wait.
 */
export function createUnknownAddressHasher(network: string): Hasher {
  const run = (job: HashJob): Promise<string | boolean> =>
    queue(network, async () => {
      // The one that worked last: while one at a time logs in, the others have ended.
      const thread = idleThreads.pop() ?? createHashThread(IDLE_MS);
      return thread(job).finally(() => idleThreads.push(thread));
    });
  return {
    hash: async (password) => String(await run({ password, cost: COST })),
    verify: async (password, stored) => (await run({ password, stored, cost: COST })) === true,
  };
}

/** A thread for one job at a time, which ends after `idleMs` without one: it takes 10 to 20 MB. */
export function createHashThread(idleMs: number): (job: HashJob) => Promise<string | boolean> {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  const stop = (): void => {
    void worker?.terminate();
    worker = undefined;
  };
  const start = (): Worker => {
    const started = new Worker(new URL('hash-thread.ts', import.meta.url));
    // An error without a listener would end the server; the job that waits is rejected by its own.
    started.on('error', () => undefined);
    return started;
  };
  const ask = async (job: HashJob): Promise<HashAnswer> => {
    worker ??= start();
    worker.ref();
    const answered = once(worker, 'message') as Promise<[HashAnswer]>;
    worker.postMessage(job, []);
    const [answer] = await answered;
    worker.unref();
    return answer;
  };
  return async (job) => {
    clearTimeout(idle);
    try {
      const answer = await ask(job);
      if ('problem' in answer) throw new Error(answer.problem);
      return answer.value;
    } catch (error) {
      stop();
      throw error;
    } finally {
      idle = setTimeout(stop, idleMs).unref();
    }
  };
}

/** Runs some tasks at a time. The networks that wait take turns, so that many tasks of one hold up no other. */
export type FairQueue = <Result>(network: string, work: () => Promise<Result>) => Promise<Result>;

/** At most `atOnce` tasks run and `most` wait; each further one is refused with the error that `refuse` creates. */
export function createFairQueue(atOnce: number, most: number, refuse: () => Error): FairQueue {
  const waiting = new Map<string, (() => void)[]>();
  let running = 0;
  let count = 0;
  const waitForTurn = (network: string): Promise<void> => {
    if (count >= most) throw refuse();
    count += 1;
    return new Promise((resolve) => {
      const tasks = waiting.get(network);
      if (tasks === undefined) waiting.set(network, [resolve]);
      else tasks.push(resolve);
    });
  };
  // Hands over its turn without a pause, so that a new task cannot overtake those that wait.
  const admitNext = (): void => {
    const [turn] = waiting;
    if (turn === undefined) {
      running -= 1;
      return;
    }
    const [network, [next, ...others]] = turn;
    waiting.delete(network);
    if (others.length > 0) waiting.set(network, others);
    count -= 1;
    next?.();
  };
  return async (network, work) => {
    if (running < atOnce) running += 1;
    else await waitForTurn(network);
    try {
      return await work();
    } finally {
      admitNext();
    }
  };
}
