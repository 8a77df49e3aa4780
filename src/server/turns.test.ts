import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('one after the other, also after a failure', async () => {
  const turns = createTurns();
  const seen: string[] = [];
  let open = (): void => undefined;
  const door = new Promise<void>((resolve) => (open = resolve));
  const first = turns.take(async () => {
    await door;
    seen.push('first');
    throw new Error('no');
  });
  const second = turns.take(async () => seen.push('second'));
  open();
  await expect(first).rejects.toThrow('no');
  await second;
  expect(seen).toEqual(['first', 'second']);
});
