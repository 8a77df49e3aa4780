import { describe, expect, test } from 'vitest';
import { createFairQueue, type FairQueue } from './fair-queue.ts';

const refuse = (): Error => new Error('full');

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
    const { add, begun, end } = createTasks(createFairQueue(10, refuse));
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
    const { add, begun, end } = createTasks(createFairQueue(1, refuse));
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
    const { add, begun, end } = createTasks(createFairQueue(5, refuse));
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
