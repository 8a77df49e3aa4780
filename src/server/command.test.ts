import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('A command that ends has written all it had to say, also into a pipe', () => {
  const script = `import { runInProcess } from './src/server/command.ts';
    await runInProcess(async (_args, { out }) => (out('x'.repeat(1_000_000)), 3), new Error('stopped'));`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect([stdout.length, status]).toEqual([1_000_000, 3]);
});
