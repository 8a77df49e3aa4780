import { describe, expect, test, vi } from 'vitest';
import { createGate, type GateLimits } from './gate.ts';

const LIMITS: GateLimits = {
  total: 3,
  perCaller: 2,
  largePerCaller: 1,
  waitingPerCaller: 1,
  waitMs: 1_000,
  unread: 150,
  unreadPerCaller: 100,
};

/** Requests that run until they are let go. */
function requests(limits: Partial<GateLimits> = {}) {
  const gate = createGate({ ...LIMITS, ...limits });
  const running = new Map<string, () => void>();
  const pass = (name: string, caller: string | undefined, large = false): Promise<string> => {
    const passed = gate.pass(
      { caller, large },
      () => new Promise<string>((resolve) => running.set(name, () => (running.delete(name), resolve(name)))),
    );
    // What still waits at the end of a test is refused after it.
    passed.catch(() => undefined);
    return passed;
  };
  return { pass, running, names: () => [...running.keys()], hold: gate.hold };
}

describe('requests at the same time', () => {
  test('One caller runs as many as allowed, another is not held up', () => {
    const { pass, names } = requests();
    void pass('a1', 'a');
    void pass('a2', 'a');
    void pass('a3', 'a');
    void pass('b1', 'b');
    expect(names()).toEqual(['a1', 'a2', 'b1']);
  });

  test('A waiting request runs when one of its caller ends', async () => {
    const { pass, running, names } = requests();
    const first = pass('a1', 'a');
    void pass('a2', 'a');
    void pass('a3', 'a');
    running.get('a1')?.();
    expect(await first).toBe('a1');
    await vi.waitFor(() => expect(names()).toEqual(['a2', 'a3']));
  });

  test('One caller runs one large request, small ones beside it', () => {
    const { pass, names } = requests();
    void pass('large1', 'a', true);
    void pass('large2', 'a', true);
    void pass('small', 'a');
    expect(names()).toEqual(['large1', 'small']);
  });

  test('Refuses with 429 and Retry-After what one caller queues beyond the limit', async () => {
    const { pass } = requests();
    void pass('a1', 'a');
    void pass('a2', 'a');
    void pass('a3', 'a');
    await expect(pass('a4', 'a')).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '2' } });
  });

  test('Refuses after the wait: 429 for one caller alone, 503 where the server is full', async () => {
    const { pass, running } = requests({ waitMs: 1 });
    void pass('a1', 'a', true);
    await expect(pass('a2', 'a', true)).rejects.toMatchObject({ status: 429 });
    void pass('b1', 'b');
    void pass('c1', undefined);
    await expect(pass('d1', 'd')).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    expect(running.size).toBe(3);
  });

  test('A request that fails makes room', async () => {
    const gate = createGate({ ...LIMITS, total: 1 });
    const failing = gate.pass({ caller: 'a', large: false }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await gate.pass({ caller: 'a', large: false }, () => Promise.resolve('next'))).toBe('next');
  });
});

describe('answers that clients have not read (decision 0200)', () => {
  test('Hold up requests of their caller alone, until they are read', async () => {
    const { pass, names, hold } = requests();
    const release = hold('a', 100);
    void pass('a1', 'a');
    void pass('b1', 'b');
    expect(names()).toEqual(['b1']);
    release();
    await vi.waitFor(() => expect(names()).toEqual(['b1', 'a1']));
  });

  test('Refuse requests of their caller with 429 after the wait', async () => {
    const { pass, hold } = requests({ waitMs: 1 });
    hold('a', 100);
    await expect(pass('a1', 'a')).rejects.toMatchObject({ status: 429, code: 'answers_unread' });
  });

  test('Refuse all requests with 503 where they fill the budget of all callers, and count once', async () => {
    const { pass, names, hold } = requests({ waitMs: 1 });
    const releases = [hold('a', 90), hold('b', 60)];
    await expect(pass('c1', 'c')).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    for (const release of [...releases, ...releases]) release();
    const held = hold('a', 149);
    void pass('c2', 'c');
    held();
    hold(undefined, 150);
    void pass('c3', 'c');
    expect(names()).toEqual(['c2']);
  });
});
