export type Deadline = Readonly<{
  signal: AbortSignal;
  /** Starts the time again, unless it was cleared. */
  extend: () => void;
  clear: () => void;
}>;

/** Aborts `ms` after its start or its last extension. */
export function startDeadline(ms: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  let cleared = false;
  return {
    signal: controller.signal,
    // A refresh would revive a cleared timer.
    extend: () => void (cleared || timer.refresh()),
    clear: () => {
      cleared = true;
      clearTimeout(timer);
    },
  };
}
