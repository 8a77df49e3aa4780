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
