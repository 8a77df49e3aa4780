/** Runs work one after the other, in the order of the calls. A failure does not hold up the next one. */
export type SerialQueue = Readonly<{ run: <T>(work: () => Promise<T>) => Promise<T> }>;

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (work) => {
      const result = last.then(work, work);
      last = result;
      return result;
    },
  };
}
