import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

export type ClusterLog = Readonly<
  Record<'warn' | 'error', (facts: Readonly<Record<string, unknown>>, event: string) => void>
>;

export type Supervised = Readonly<{
  /** Resolves with the cause when the process ended and cannot be started again. */
  failed: Promise<Error>;
  stop: () => Promise<void>;
}>;

export type SupervisionOptions = Readonly<{
  child: ChildProcess;
  /** Starts it again; resolves once it is ready, and rejects soon after the signal aborts. */
  restart: (signal: AbortSignal) => Promise<ChildProcess>;
  /** A failed start is repeated, because its cause may disappear. */
  mayRecover: (error: unknown) => Promise<boolean>;
  log: ClusterLog | undefined;
}>;

/** The first restart follows at once; a process that ends repeatedly is restarted more slowly. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const STEADY_MS = 60_000;

/** Restarts a process whenever it ends by itself, until `stop`. */
export function supervise({ child, restart, mayRecover, log }: SupervisionOptions): Supervised {
  let current = child;
  const stopping = new AbortController();
  const { signal } = stopping;
  let recovering: Promise<void> = Promise.resolve();
  const failed = Promise.withResolvers<Error>();
  const backOff = createBackOff();
  const recover = async (): Promise<void> => {
    log?.error({ code: current.exitCode, signal: current.signalCode }, 'PostgreSQL ended, restarting');
    for (;;) {
      await wait(backOff.next(), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        current = await restart(signal);
        log?.warn({ pid: current.pid }, 'PostgreSQL runs again');
        return void watch();
      } catch (error) {
        if (signal.aborted) return;
        if (!(await mayRecover(error).catch(() => false))) return failed.resolve(toError(error));
        log?.error({ retryInMs: backOff.peek() }, 'PostgreSQL does not start, trying again');
      }
    }
  };
  const watch = async (): Promise<void> => {
    const since = Date.now();
    await whenEnded(current);
    if (signal.aborted) return;
    if (Date.now() - since > STEADY_MS) backOff.reset();
    recovering = recover();
  };
  void watch();
  return {
    failed: failed.promise,
    stop: async () => {
      stopping.abort();
      await recovering;
      await end(current);
    },
  };
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function createBackOff() {
  let pauseMs = 0;
  return {
    next: (): number => {
      const current = pauseMs;
      pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2));
      return current;
    },
    peek: () => pauseMs,
    reset: (): void => void (pauseMs = 0),
  };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGINT');
  await whenEnded(child);
}

async function whenEnded(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
