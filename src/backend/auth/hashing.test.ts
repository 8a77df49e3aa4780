import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, getPriority } from 'node:os';
import { describe, expect, test } from 'vitest';
import {
  createFairQueue,
  createHashThread,
  createUnknownAddressHasher,
  KNOWN_ADDRESS_HASHER,
  type FairQueue,
} from './hashing.ts';

const HASHING = new URL('hashing.ts', import.meta.url).href;

/** The nice values of this process's threads (Linux). */
function readPriorities(): number[] {
  return readdirSync('/proc/self/task').flatMap((id) => {
    const [, fields] = readStatus(`/proc/self/task/${id}/stat`).split(') ');
    return fields === undefined ? [] : [Number(fields.split(' ')[16])];
  });
}

/** The nice value of the threads; no thread has one above 19. */
const LOW = Math.min(getPriority() + 10, 19);

const countThreads = (): number => readPriorities().filter((nice) => nice === LOW).length;

/** Empty for a thread that has ended since it was listed. */
function readStatus(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

describe('threat 13 the threads for passwords of strangers', () => {
  test('Hashes and compares as everybody else', async () => {
    const hasher = createUnknownAddressHasher('192.0.2.1');
    const stored = await hasher.hash('geheim');
    expect(stored).toMatch(/^\$2[aby]\$10\$/);
    const answers = await Promise.all([
      hasher.verify('geheim', stored),
      hasher.verify('Geheim', stored),
      hasher.verify('', 'kein Hash'),
      KNOWN_ADDRESS_HASHER.verify('geheim', stored),
    ]);
    expect(answers).toEqual([true, false, false, true]);
  });

  test.runIf(process.platform === 'linux')('Runs at a lower priority, and no other thread does', async () => {
    const run = createHashThread(60_000);
    await run({ password: 'x', stored: 'kein Hash', cost: 4 });
    const priorities = readPriorities();
    expect(priorities).toContain(LOW);
    expect(priorities.filter((nice) => nice === getPriority()).length).toBeGreaterThan(1);
  });

  test.runIf(process.platform === 'linux')('Checks passwords in a server of low priority, too', () => {
    const script = `
      const { createHashThread } = await import(${JSON.stringify(HASHING)});
      const { readdirSync, readFileSync } = await import('node:fs');
      const answer = await createHashThread(60_000)({ password: 'x', stored: 'kein Hash', cost: 4 });
      const nice = readdirSync('/proc/self/task').map((id) =>
        readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ')[1].split(' ')[16]);
      console.log(JSON.stringify({ answer, lowest: Math.max(...nice.map(Number)) }));
      process.exit();`;
    const run = spawnSync('nice', ['-n', '8', process.execPath, '-e', script]);
    const expected = { answer: false, lowest: Math.min(getPriority() + 8 + 10, 19) };
    expect(run.stderr.toString()).toBe('');
    expect(JSON.parse(run.stdout.toString())).toEqual(expected);
  });

  test.runIf(process.platform === 'linux')('Checks two passwords at a time where there are two processors', () => {
    const script = `
      const { createUnknownAddressHasher } = await import(${JSON.stringify(HASHING)});
      const { readdirSync, readFileSync } = await import('node:fs');
      const hasher = createUnknownAddressHasher('192.0.2.1');
      const read = (id) => {
        try { return readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ')[1].split(' ')[16]; }
        catch { return 'ended'; }
      };
      const count = () => readdirSync('/proc/self/task').filter((id) => read(id) === '${LOW}').length;
      await hasher.verify('x', 'kein Hash');
      const most = [count(), 0];
      setInterval(() => (most[1] = Math.max(most[1], count())), 5);
      await Promise.all([1, 2, 3, 4].map(() => hasher.hash('x')));
      console.log(JSON.stringify(most));
      process.exit();`;
    const run = spawnSync(process.execPath, ['-e', script]);
    expect(run.stderr.toString()).toBe('');
    expect(JSON.parse(run.stdout.toString())).toEqual([1, Math.min(2, availableParallelism())]);
  });

  test('Ends without work and starts again with the next one', async () => {
    const run = createHashThread(1);
    const before = process.platform === 'linux' ? countThreads() : 0;
    expect(await run({ password: 'x', cost: 4 })).toMatch(/^\$2[aby]\$04\$/);
    // Those of other tests may end as well.
    if (process.platform === 'linux') await expect.poll(countThreads).toBeLessThanOrEqual(before);
    expect(await run({ password: 'x', cost: 4 })).toMatch(/^\$2[aby]\$04\$/);
  });

  test('Answers a job that cannot be done with its problem, and the next one as ever', async () => {
    const run = createHashThread(60_000);
    await expect(run({ password: 'x', cost: 99 })).rejects.toThrow('ost');
    expect(await run({ password: 'x', cost: 4 })).toMatch(/^\$2[aby]\$04\$/);
  });
});

const refuse = (): Error => new Error('full');

test('Limits concurrent tasks in order of arrival, also after a failure', async () => {
  const limit = createFairQueue(2, 10, refuse);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (index: number): Promise<number> =>
    limit('', async () => {
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

/** Tasks that end when they are told to, and the order in which they began. */
function createTasks(queue: FairQueue) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const add = (network: string, task: string): Promise<string> =>
    queue(network, async () => {
      begun.push(task);
      await new Promise<void>((resolve, reject) => {
        ends.set(task, (error) => (error === undefined ? resolve() : reject(error)));
      });
      return task;
    });
  return { add, begun, end: (task: string, error?: Error) => ends.get(task)?.(error) };
}

describe('threat 13 the queue of password checks', () => {
  test('Lets a network that waits behind many tasks of another one go next', async () => {
    const { add, begun, end } = createTasks(createFairQueue(1, 10, refuse));
    const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1')];
    expect(begun).toEqual(['a1']);
    for (const task of ['a1', 'a2', 'b1', 'a3']) {
      await expect.poll(() => begun).toContain(task);
      end(task);
    }
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  test('Refuses what would wait beyond the limit, and admits again when the queue is shorter', async () => {
    const { add, begun, end } = createTasks(createFairQueue(1, 1, refuse));
    const first = add('a', 'a1');
    const second = add('a', 'a2');
    await expect(add('b', 'b1')).rejects.toThrow('full');
    end('a1');
    await first;
    await expect.poll(() => begun).toEqual(['a1', 'a2']);
    const third = add('b', 'b2');
    end('a2');
    await second;
    await expect.poll(() => begun).toEqual(['a1', 'a2', 'b2']);
    end('b2');
    expect(await third).toBe('b2');
  });

  test('Goes on after a task that fails', async () => {
    const { add, begun, end } = createTasks(createFairQueue(1, 5, refuse));
    const failing = add('a', 'a1');
    const next = add('a', 'a2');
    end('a1', new Error('lost'));
    await expect(failing).rejects.toThrow('lost');
    await expect.poll(() => begun).toEqual(['a1', 'a2']);
    end('a2');
    expect(await next).toBe('a2');
    const later = add('c', 'c1');
    end('c1');
    expect(await later).toBe('c1');
  });
});
