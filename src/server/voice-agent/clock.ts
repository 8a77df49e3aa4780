/** Time in milliseconds, injected so that tests control it. */
export type Clock = Readonly<{
  now: () => number;
  /** Runs `work` once after `ms`; the returned function cancels it. */
  after: (ms: number, work: () => void) => () => void;
}>;

export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Runs `work` at once, but not before the return, and every `ms`; the returned function ends it, also from `work`. */
export function repeat(clock: Clock, ms: number, work: () => void): () => void {
  const run = (): void => {
    cancel = clock.after(ms, run);
    work();
  };
  let cancel = clock.after(0, run);
  return () => cancel();
}
