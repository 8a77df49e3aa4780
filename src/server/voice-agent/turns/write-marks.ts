/** Counts what is to be written, and tells when it was. */
export type WriteMarks = Readonly<{
  /** One more thing is to be written. */
  add: () => void;
  /** Everything added so far. */
  latest: () => number;
  /** Everything up to this mark was written, or will not be waited for any longer. */
  settle: (mark: number) => void;
  /** Resolves when everything added so far is settled. */
  settled: () => Promise<void>;
}>;

export function createWriteMarks(): WriteMarks {
  let added = 0;
  let done = 0;
  let waiting: { mark: number; resolve: () => void }[] = [];
  return {
    add: () => void (added += 1),
    latest: () => added,
    settle: (mark) => {
      done = Math.max(done, mark);
      for (const { resolve } of waiting.filter((one) => one.mark <= done)) resolve();
      waiting = waiting.filter((one) => one.mark > done);
    },
    settled: () =>
      done >= added ? Promise.resolve() : new Promise((resolve) => waiting.push({ mark: added, resolve })),
  };
}
