/** Time as the recorder sees it; a test brings its own. */
export type Clock = Readonly<{
  /** ms, steady. */
  now: () => number;
  /** Calls again and again until the returned function is called. */
  every: (ms: number, call: () => void) => () => void;
}>;

export const BROWSER_CLOCK: Clock = {
  now: () => performance.now(),
  every: (ms, call) => {
    const timer = setInterval(call, ms);
    return () => clearInterval(timer);
  },
};

export type Stopwatch = Readonly<{ seconds: () => number; pause: () => void; resume: () => void }>;

/** Counts from now on, pauses left out. */
export function startStopwatch(now: () => number): Stopwatch {
  let counted = 0;
  let since: number | undefined = now();
  const elapsed = (): number => counted + (since === undefined ? 0 : now() - since);
  return {
    seconds: () => elapsed() / 1_000,
    pause: () => {
      counted = elapsed();
      since = undefined;
    },
    resume: () => void (since ??= now()),
  };
}
