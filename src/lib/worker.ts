/** `retry`: failed for the moment, so the next round starts after a pause. */
export type RoundResult = 'done' | 'retry';

export type WorkerOptions = Readonly<{
  round: (signal: AbortSignal) => Promise<RoundResult>;
  /** Called when a round rejects, which counts as `retry`. */
  onError: (error: unknown) => void;
  /** The first pause after a failure; each further one is twice as long, up to `longestMs`. */
  retryMs: number;
  longestMs: number;
  /** Starts a round this long after the last one that succeeded; without it only `poke` does. */
  pollMs?: number;
  later?: Later;
}>;

/** Calls `work` after a while. Returns a function that cancels the call. */
export type Later = (work: () => void, ms: number) => () => void;

/** Repeats one piece of work in the background. */
export function createWorker({ round, onError, retryMs, longestMs, pollMs, later = timer }: WorkerOptions) {
  const stopped = new AbortController();
  let running: Promise<void> | undefined;
  let again = false;
  const nextPause = createPauses(retryMs, longestMs, pollMs);
  let cancelNext = (): void => undefined;
  const poke = (): void => {
    if (stopped.signal.aborted) return;
    again = true;
    running ??= work().finally(() => {
      running = undefined;
      // Poked after the last round, before the end.
      if (again) poke();
    });
  };
  const work = async (): Promise<void> => {
    cancelNext();
    let result: RoundResult = 'done';
    while (again && !stopped.signal.aborted) {
      again = false;
      result = await round(stopped.signal).catch((error: unknown) => reportFailure(error, onError));
    }
    const ms = nextPause(result);
    if (ms !== undefined && !stopped.signal.aborted) cancelNext = later(poke, ms);
  };
  return {
    /** Starts a round now, or another one after the round that runs. */
    poke,
    /** Resolves when no round runs: a poke at the end of a run starts the next one when that run has ended. */
    idle: async (): Promise<void> => {
      while (running !== undefined) await running;
    },
    /** Starts no further round, and resolves when the running one has ended. */
    stop: async (): Promise<void> => {
      stopped.abort();
      cancelNext();
      await running;
    },
  };
}

export type Worker = ReturnType<typeof createWorker>;

function reportFailure(error: unknown, onError: (error: unknown) => void): RoundResult {
  onError(error);
  return 'retry';
}

/** The ms from the end of a round to the next; undefined where only a poke starts one. */
function createPauses(retryMs: number, longestMs: number, pollMs: number | undefined) {
  let retry = retryMs;
  return (result: RoundResult): number | undefined => {
    const now = retry;
    retry = result === 'retry' ? Math.min(longestMs, retry * 2) : retryMs;
    return result === 'retry' ? now : pollMs;
  };
}

function timer(work: () => void, ms: number): () => void {
  const handle = setTimeout(work, ms);
  return () => clearTimeout(handle);
}
