/** Runs one task at a time. The networks that wait take turns, so that many tasks of one hold up no other. */
export type FairQueue = <Result>(network: string, work: () => Promise<Result>) => Promise<Result>;

/** At most `most` tasks wait; each further one is refused with the error that `refuse` creates. */
export function createFairQueue(most: number, refuse: () => Error): FairQueue {
  const waiting = new Map<string, (() => void)[]>();
  let isBusy = false;
  let count = 0;
  const waitForTurn = (network: string): Promise<void> => {
    if (count >= most) throw refuse();
    count += 1;
    return new Promise((resolve) => {
      const tasks = waiting.get(network);
      if (tasks === undefined) waiting.set(network, [resolve]);
      else tasks.push(resolve);
    });
  };
  // Hands over its turn without a pause, so that a new task cannot overtake those that wait.
  const admitNext = (): void => {
    const [turn] = waiting;
    if (turn === undefined) {
      isBusy = false;
      return;
    }
    const [network, [next, ...others]] = turn;
    waiting.delete(network);
    if (others.length > 0) waiting.set(network, others);
    count -= 1;
    next?.();
  };
  return async (network, work) => {
    if (isBusy) await waitForTurn(network);
    isBusy = true;
    try {
      return await work();
    } finally {
      admitNext();
    }
  };
}
