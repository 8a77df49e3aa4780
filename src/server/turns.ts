/** One after the other, in the order they came; a failure ends a turn like a success. */
export function createTurns(): Readonly<{ take: <T>(work: () => Promise<T>) => Promise<T> }> {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take: (work) => {
      const turn = last.then(work, work);
      last = turn;
      return turn;
    },
  };
}
