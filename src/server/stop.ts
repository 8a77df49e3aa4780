import { setTimeout as wait } from 'node:timers/promises';

export type Closing = Readonly<{
  /** Takes what has to end before the application closes: from then on its backend answers nothing. */
  beforeClose: (end: () => Promise<void>) => void;
}>;

/** `endWithin` cuts off what takes longer. */
export function createClosing(): Closing & Readonly<{ endWithin: (ms: number) => Promise<void> }> {
  const ends: (() => Promise<void>)[] = [];
  return {
    beforeClose: (end) => void ends.push(end),
    endWithin: async (ms) =>
      void (await Promise.race([Promise.all(ends.map((end) => end())), wait(ms, undefined, { ref: false })])),
  };
}

/** One step after the other, also where one fails. Throws the first failure at the end. */
export async function runSteps(steps: readonly (() => Promise<void> | undefined)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
