import { Worker } from 'node:worker_threads';

/** Whom and what the observer asks. */
export type Observed = Readonly<{ url: string; pid: number; headers: Readonly<Record<string, string>> }>;

/** What one phase looked like from outside. */
export type Phase = Readonly<{
  /** Milliseconds of each of a member's selects. */
  selects: readonly number[];
  health: readonly number[];
  /** Answers to the member other than 200, by status; `cut` where there was none. */
  failed: readonly string[];
  /** MiB. */
  memory: Readonly<{ first: number; peak: number; last: number }>;
}>;

export type Observer = Readonly<{
  /** Ends the phase under way and returns what it saw; the next one begins at once. */
  nextPhase: () => Promise<Phase>;
  stop: () => Promise<void>;
}>;

/** Watches from a thread of its own: what the attacker's own work costs must not show in the figures. */
export function startObserver(observed: Observed): Observer {
  const worker = new Worker(new URL('./observer-thread.ts', import.meta.url), { workerData: observed });
  return {
    nextPhase: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.postMessage('next', []);
      }),
    stop: async () => void (await worker.terminate()),
  };
}
