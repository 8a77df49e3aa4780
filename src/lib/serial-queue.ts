/** Runs work one after the other, in the order of the calls. A failure does not hold up the next one. */
export function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: <T>(work: () => Promise<T>): Promise<T> => {
      const result = last.then(work, work);
      last = result;
      return result;
    },
  };
}
