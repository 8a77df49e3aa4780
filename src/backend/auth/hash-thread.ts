import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/bcrypt';
import type { HashAnswer, HashJob } from './hashing.ts';

/** A third of the others' share where processors are scarce, everything where they are idle. */
const NICE = 5;

// On Linux a priority belongs to a thread; elsewhere it would be that of the whole server.
if (process.platform === 'linux') setPriority(NICE);

parentPort?.on('message', (job: HashJob) => parentPort?.postMessage(answer(job), []));

function answer({ password, stored, cost }: HashJob): HashAnswer {
  try {
    return { value: stored === undefined ? hashSync(password, { cost }) : verifySync(password, stored) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'unknown' };
  }
}
