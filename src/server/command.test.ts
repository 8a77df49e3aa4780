import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { formatBytes } from './command.ts';

test('A command that ends has written all it had to say, also into a pipe', () => {
  const script = `import { runInProcess } from './src/server/command.ts';
    await runInProcess(async (_args, { out }) => (out('x'.repeat(1_000_000)), 3), new Error('stopped'));`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect([stdout.length, status]).toEqual([1_000_000, 3]);
});

test('Sizes are told in the unit that they round to', () => {
  expect([0, 1_023, 1_024, 1024 ** 2 - 1, 1024 ** 3 * 1.5].map(formatBytes)).toEqual([
    '0 Byte',
    '1.023 Byte',
    '1 KB',
    '1 MB',
    '1,5 GB',
  ]);
});
