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

// bcrypt runs in the thread pool that file access and new database connections also need.
const knownSlots = createSemaphore(Math.min(2, availableParallelism()));

/** For callers who are signed in, or whose account was logged in to from exactly their address before. */
export const KNOWN_ADDRESS_HASHER: Hasher = {
  hash: (password) => knownSlots(() => hash(password, { cost: COST })),
  verify: (password, stored) => knownSlots(() => verify(password, stored)),
};

const queue = createFairQueue(MAX_WAITING, ERRORS.loginsBusy);
const thread = createHashThread(IDLE_MS);

/**
 * For everybody else, who share one thread of low priority: guessers must not take the processors from those who work
 * (decision 0330). The callers' networks take turns. Throws AuthError where too many wait.
 */
export function createUnknownAddressHasher(network: string): Hasher {
  return {
    hash: async (password) => String(await queue(network, () => thread({ password, cost: COST }))),
    verify: async (password, stored) => (await queue(network, () => thread({ password, stored, cost: COST }))) === true,
  };
}

/** A thread for one job at a time, which ends after `idleMs` without one: it takes 20 MB. */
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

/** Runs at most `atOnce` tasks at a time; the others wait in the order of their arrival. */
export function createSemaphore(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < atOnce) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Hands its slot to the next waiting task, so that a new task cannot overtake it.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

/** Runs one task at a time. The networks that wait take turns, so that many tasks of one hold up no other. */
export type FairQueue = <Result>(network: string, work: () => Promise<Result>) => Promise<Result>;

/** At most `most` tasks wait; each further one is refused with the error that `refuse` creates. */
export function createFairQueue(most: number, refuse: () => Error): FairQueue {
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;
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
      isBusy = false;
      return;
    }
    const [network, [next, ...others]] = turn;
    waiting.delete(network);
    if (others.length > 0) waiting.set(network, others);
    count -= 1;
    next?.();
  };
  return async (network, work) => {
    if (isBusy) await waitForTurn(network);
    isBusy = true;
    try {
      return await work();
    } finally {
      admitNext();
    }
  };
}
