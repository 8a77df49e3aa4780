/** Counts pending writes and reports when they are done. */
export type WriteMarks = Readonly<{
  /** Adds a pending write. */
  add: () => void;
  /** The mark of the newest pending write. */
  latest: () => number;
  /** Marks all writes up to this one as done, or as given up. */
  resolveUpTo: (mark: number) => void;
  /** Resolves when all writes so far are done. */
  whenResolved: () => Promise<void>;
}>;

export function createWriteMarks(): WriteMarks {
  let added = 0;
  let done = 0;
  let waiting: { mark: number; resolve: () => void }[] = [];
  return {
    add: () => void (added += 1),
    latest: () => added,
    resolveUpTo: (mark) => {
      done = Math.max(done, mark);
      for (const { resolve } of waiting.filter((one) => one.mark <= done)) resolve();
      waiting = waiting.filter((one) => one.mark > done);
    },
    whenResolved: () =>
      done >= added ? Promise.resolve() : new Promise((resolve) => waiting.push({ mark: added, resolve })),
  };
}
