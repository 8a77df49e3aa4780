import { expect, test } from 'vitest';
import { createSerialQueue } from './serial-queue.ts';

test('Runs one after the other, also after a failure', async () => {
  const queue = createSerialQueue();
  const seen: string[] = [];
  const gate = Promise.withResolvers<undefined>();
  const first = queue.run(async () => {
    await gate.promise;
    seen.push('first');
    throw new Error('no');
  });
  const second = queue.run(async () => seen.push('second'));
  gate.resolve(undefined);
  await expect(first).rejects.toThrow('no');
  await second;
  expect(seen).toEqual(['first', 'second']);
});
