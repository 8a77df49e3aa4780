import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/bcrypt';
import type { HashAnswer, HashJob } from './hashing.ts';

/** Lower than the rest of the server by this: a ninth of its weight where processors are scarce. */
const NICE = 10;
const LOWEST_PRIORITY = 19;

// On Linux a priority belongs to a thread; elsewhere it would be that of the whole server.
if (process.platform === 'linux') lowerPriority();

parentPort?.on('message', (job: HashJob) => parentPort?.postMessage(answer(job), []));

function lowerPriority(): void {
  try {
    // A service manager may have started the server at a low priority: without privileges, no thread leaves that.
    setPriority(Math.min(getPriority() + NICE, LOWEST_PRIORITY));
  } catch {
    // A container may forbid it. Passwords have to be checked all the same.
  }
}

function answer({ password, stored, cost }: HashJob): HashAnswer {
  try {
    return { value: stored === undefined ? hashSync(password, { cost }) : verifySync(password, stored) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'unknown' };
  }
}
