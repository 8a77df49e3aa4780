/** Runs at most `atOnce` works at a time; the others wait in the order in which they came. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place is handed on, so that nobody who comes now gets in before.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
