import { describe, expect, test, vi } from 'vitest';
import { createConcurrencyLimit, type ConcurrencyRules } from './concurrency.ts';

const LIMITS: ConcurrencyRules = {
  total: 3,
  perCaller: 2,
  largePerCaller: 1,
  waitingPerCaller: 1,
  waitMs: 1_000,
  unread: 150,
  unreadPerCaller: 100,
};

/** Requests that run until they are let go. */
function requests(limits: Partial<ConcurrencyRules> = {}) {
  const limit = createConcurrencyLimit({ ...LIMITS, ...limits });
  const running = new Map<string, () => void>();
  const run = (name: string, caller: string | undefined, large = false): Promise<string> => {
    const passed = limit.run(
      { caller, large },
      () => new Promise<string>((resolve) => running.set(name, () => (running.delete(name), resolve(name)))),
    );
    // What still waits at the end of a test is refused after it.
    passed.catch(() => undefined);
    return passed;
  };
  return { run, running, names: () => [...running.keys()], hold: limit.hold };
}

describe('requests at the same time', () => {
  test('Lets a caller run as many requests as allowed, and others beside them', () => {
    const { run, names } = requests();
    void run('a1', 'a');
    void run('a2', 'a');
    void run('a3', 'a');
    void run('b1', 'b');
    expect(names()).toEqual(['a1', 'a2', 'b1']);
  });

  test('Runs a waiting request when another of its caller ends', async () => {
    const { run, running, names } = requests();
    const first = run('a1', 'a');
    void run('a2', 'a');
    void run('a3', 'a');
    running.get('a1')?.();
    expect(await first).toBe('a1');
    await vi.waitFor(() => expect(names()).toEqual(['a2', 'a3']));
  });

  test('Runs one large request of a caller, and small ones beside it', () => {
    const { run, names } = requests();
    void run('large1', 'a', true);
    void run('large2', 'a', true);
    void run('small', 'a');
    expect(names()).toEqual(['large1', 'small']);
  });

  test('Refuses requests that a caller queues beyond the limit with 429 and Retry-After', async () => {
    const { run } = requests();
    void run('a1', 'a');
    void run('a2', 'a');
    void run('a3', 'a');
    await expect(run('a4', 'a')).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '2' } });
  });

  test('Refuses after the wait: 429 for one caller alone, 503 where the server is full', async () => {
    const { run, running } = requests({ waitMs: 1 });
    void run('a1', 'a', true);
    await expect(run('a2', 'a', true)).rejects.toMatchObject({ status: 429 });
    void run('b1', 'b');
    void run('c1', undefined);
    await expect(run('d1', 'd')).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    expect(running.size).toBe(3);
  });

  test('Admits the next one when a request fails', async () => {
    const limit = createConcurrencyLimit({ ...LIMITS, total: 1 });
    const failing = limit.run({ caller: 'a', large: false }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await limit.run({ caller: 'a', large: false }, () => Promise.resolve('next'))).toBe('next');
  });
});

describe('answers that clients have not read (decision 0200)', () => {
  test('Hold up requests of their caller alone, until they are read', async () => {
    const { run, names, hold } = requests();
    const release = hold('a', 100);
    void run('a1', 'a');
    void run('b1', 'b');
    expect(names()).toEqual(['b1']);
    release();
    await vi.waitFor(() => expect(names()).toEqual(['b1', 'a1']));
  });

  test('Refuse requests of their caller with 429 after the wait', async () => {
    const { run, hold } = requests({ waitMs: 1 });
    hold('a', 100);
    await expect(run('a1', 'a')).rejects.toMatchObject({ status: 429, code: 'answers_unread' });
  });

  test('Refuse all requests with 503 where they fill the budget of all callers, and count once', async () => {
    const { run, names, hold } = requests({ waitMs: 1 });
    const releases = [hold('a', 90), hold('b', 60)];
    await expect(run('c1', 'c')).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    for (const release of [...releases, ...releases]) release();
    const held = hold('a', 149);
    void run('c2', 'c');
    held();
    hold(undefined, 150);
    void run('c3', 'c');
    expect(names()).toEqual(['c2']);
  });
});
