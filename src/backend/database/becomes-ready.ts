import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

type Readiness = Readonly<{
  url: string;
  /** By `performance.now()`. */
  deadline: number;
  /** Ends the waiting. */
  signal?: AbortSignal | undefined;
}>;

/** For a PostgreSQL that is recovering, which may go on past the deadline. */
const ANSWER_MS = 30_000;

/**
 * Resolves to whether the process answers before it ends. Waits past the deadline while PostgreSQL says that it is
 * recovering (57P03).
 */
export async function becomesReady(child: ChildProcess, { url, deadline, signal }: Readiness): Promise<boolean> {
  let ended = false;
  let recovering = false;
  child.once('exit', () => (ended = true));
  child.once('error', () => (ended = true));
  while (!ended && signal?.aborted !== true && (recovering || performance.now() < deadline)) {
    const left = recovering ? ANSWER_MS : Math.max(1, deadline - performance.now());
    // One that accepts a connection and stays silent would be waited for without an end.
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: left });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch (error) {
      recovering = error instanceof pg.DatabaseError && error.code === '57P03';
      await wait(25);
    }
  }
  return false;
}
