export type Deadline = Readonly<{
  signal: AbortSignal;
  /** The time starts again, unless it was cleared. */
  extend: () => void;
  clear: () => void;
}>;

/** Aborts `ms` after it was made or last extended. */
export function startDeadline(ms: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  let cleared = false;
  return {
    signal: controller.signal,
    // A refresh would bring a cleared timer back.
    extend: () => void (cleared || timer.refresh()),
    clear: () => {
      cleared = true;
      clearTimeout(timer);
    },
  };
}
