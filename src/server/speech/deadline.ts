export type Deadline = Readonly<{
  signal: AbortSignal;
  /** The time starts anew. */
  extend: () => void;
  clear: () => void;
}>;

/** Aborts `ms` after it was made or last extended. */
export function startDeadline(ms: number): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, extend: () => void timer.refresh(), clear: () => clearTimeout(timer) };
}
