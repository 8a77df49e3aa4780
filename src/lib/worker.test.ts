import { expect, test } from 'vitest';
import { createWorker, type RoundResult } from './worker.ts';

/** A worker whose rounds and pauses end when the test says so. */
function setUp(results: readonly (RoundResult | Error)[], pollMs?: number) {
  const seen = { pauses: [] as number[], errors: [] as unknown[], rounds: 0 };
  let wake = (): void => undefined;
  const worker = createWorker({
    round: async () => {
      const result = results[seen.rounds] ?? 'done';
      seen.rounds += 1;
      if (result instanceof Error) throw result;
      return result;
    },
    onError: (error) => seen.errors.push(error),
    retryMs: 10,
    longestMs: 25,
    ...(pollMs === undefined ? {} : { pollMs }),
    later: (work, ms) => {
      seen.pauses.push(ms);
      wake = work;
      return () => (wake = () => undefined);
    },
  });
  const round = async (start: () => void): Promise<void> => {
    start();
    await worker.idle();
  };
  return { worker, seen, poke: () => round(worker.poke), wake: () => round(() => wake()) };
}

test('Doubles the pause after each failure and starts again after a success', async () => {
  const { seen, poke, wake } = setUp(['retry', new Error('x'), 'retry', 'done', 'retry']);
  await poke();
  for (let count = 0; count < 3; count += 1) await wake();
  await poke();
  expect(seen).toMatchObject({ pauses: [10, 20, 25, 10], rounds: 5, errors: [new Error('x')] });
});

test('Polls after a success where it is told to', async () => {
  const { seen, poke, wake } = setUp(['done', 'retry'], 5);
  await poke();
  await wake();
  expect(seen).toMatchObject({ pauses: [5, 10], rounds: 2 });
});

test('Runs one more round where it is poked during a round, however often', async () => {
  const { worker, seen } = setUp([]);
  for (let count = 0; count < 9; count += 1) worker.poke();
  await worker.idle();
  expect(seen.rounds).toBe(2);
});

test('Starts no round after the stop', async () => {
  const { worker, seen, wake } = setUp(['retry']);
  worker.poke();
  await worker.stop();
  await wake();
  worker.poke();
  await worker.idle();
  expect(seen).toMatchObject({ rounds: 1, pauses: [] });
});

test('Counts as busy where a poke meets the end of a round', async () => {
  let rounds = 0;
  const worker = createWorker({
    round: async () => {
      await new Promise((resolve) => void setImmediate(resolve));
      rounds += 1;
      return 'done';
    },
    onError: () => undefined,
    retryMs: 10,
    longestMs: 10,
    pollMs: 10,
    // Called when the last round has ended and before the worker is idle.
    later: () => {
      if (rounds === 1) worker.poke();
      return () => undefined;
    },
  });
  worker.poke();
  await worker.idle();
  expect(rounds).toBe(2);
});
