import { spawn } from 'node:child_process';
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
