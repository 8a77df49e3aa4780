import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { supervise } from './supervisor.ts';

test('Reports an end whose cause cannot be found out, such as a folder that is gone', async () => {
  const { failed, stop } = supervise({
    child: spawn(process.execPath, ['--eval', '']),
    restart: () => Promise.reject(new Error('does not start')),
    mayRecover: () => Promise.reject(new Error('no such folder')),
    log: undefined,
  });
  expect(await failed).toMatchObject({ message: 'does not start' });
  await stop();
});

test('Ends a restart under way where it is stopped', async () => {
  const begun = Promise.withResolvers<undefined>();
  const { failed, stop } = supervise({
    child: spawn(process.execPath, ['--eval', '']),
    restart: async (signal) => {
      begun.resolve(undefined);
      await once(signal, 'abort');
      throw new Error('stopped');
    },
    mayRecover: () => Promise.resolve(false),
    log: undefined,
  });
  await begun.promise;
  await stop();
  expect(await Promise.race([failed, Promise.resolve('no failure')])).toBe('no failure');
});

test('Repeats a restart by why it failed: a disk that was full then may have room by now', async () => {
  const full = new Error('disk full');
  const outcomes = [full, full, new Error('damaged')];
  const { failed, stop } = supervise({
    child: spawn(process.execPath, ['--eval', '']),
    restart: () => Promise.reject(outcomes.shift() ?? new Error('asked too often')),
    mayRecover: (cause) => Promise.resolve(cause === full),
    log: undefined,
  });
  expect(await failed).toMatchObject({ message: 'damaged' });
  await stop();
});
