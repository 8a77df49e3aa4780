import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createSemaphore, createHashThread, createUnknownNetworkHasher, KNOWN_NETWORK_HASHER } from './hashing.ts';

/** The nice values of this process's threads (Linux). */
function readPriorities(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const [, fields = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ');
    return Number(fields.split(' ')[16]);
  });
}

describe('threat 13 the thread for passwords of strangers', () => {
  test('Hashes and compares as everybody else', async () => {
    const hasher = createUnknownNetworkHasher('192.0.2.1');
    const stored = await hasher.hash('geheim');
    expect(stored).toMatch(/^\$2[aby]\$10\$/);
    const answers = await Promise.all([
      hasher.verify('geheim', stored),
      hasher.verify('Geheim', stored),
      hasher.verify('', 'kein Hash'),
      KNOWN_NETWORK_HASHER.verify('geheim', stored),
    ]);
    expect(answers).toEqual([true, false, false, true]);
  });

  test.runIf(process.platform === 'linux')('Runs at a lower priority, and no other thread does', async () => {
    const run = createHashThread(60_000);
    await run({ password: 'x', stored: 'kein Hash', cost: 4 });
    const priorities = readPriorities();
    expect(priorities).toContain(5);
    expect(priorities.filter((nice) => nice === 0).length).toBeGreaterThan(1);
  });

  test('Ends without work and starts again with the next one', async () => {
    const run = createHashThread(1);
    const count = (): number => readPriorities().filter((nice) => nice === 5).length;
    const before = process.platform === 'linux' ? count() : 0;
    expect(await run({ password: 'x', cost: 4 })).toMatch(/^\$2[aby]\$04\$/);
    if (process.platform === 'linux') await expect.poll(count).toBe(before);
    expect(await run({ password: 'x', cost: 4 })).toMatch(/^\$2[aby]\$04\$/);
  });

  test('Answers a job that cannot be done with its problem, and the next one as ever', async () => {
    const run = createHashThread(60_000);
    await expect(run({ password: 'x', cost: 99 })).rejects.toThrow('ost');
    expect(await run({ password: 'x', cost: 4 })).toMatch(/^\$2[aby]\$04\$/);
  });
});

test('Limits concurrent tasks in order of arrival, also after a failure', async () => {
  const limit = createSemaphore(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (index: number): Promise<number> =>
    limit(async () => {
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
