import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('no more at a time than allowed, first come first served, also after a failure', async () => {
  const turns = createTurns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (index: number): Promise<number> =>
    turns(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => void (ends[index] = resolve));
      if (index === 1) throw new Error('failed');
      return index;
    });
  const all = Promise.allSettled([0, 1, 2, 3, 4].map(work));
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  ends[0]?.();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4]);
  ends[4]?.();
  expect((await all).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
});
