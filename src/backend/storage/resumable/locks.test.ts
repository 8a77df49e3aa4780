import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFakeDeps, type Query } from '#tests/support/storage-fakes.ts';
import { createDatabaseLocker } from './locks.ts';

/** As long as the library lets a request go on that is asked to stop. */
const DRAIN_MS = 3_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('A request that cannot renew its lock has stopped when another server may take the lock', async () => {
  let lease = 0;
  const answer = ({ sql, values }: Query): object[] | Error => {
    if (!sql.startsWith('insert')) return new Error('Connection terminated unexpectedly');
    lease = Number(values[2]);
    return [{}];
  };
  const { deps } = createFakeDeps({ answer });
  const lock = createDatabaseLocker(deps).newLock('upload');
  let askedAt: number | undefined;
  const begun = Date.now();
  await lock.lock(new AbortController().signal, () => void (askedAt ??= Date.now()));
  await vi.advanceTimersByTimeAsync(lease);
  expect((askedAt ?? Infinity) + DRAIN_MS).toBeLessThanOrEqual(begun + lease);
  await lock.unlock();
});

describe('Where the clock of the machine is set, by an hour', () => {
  const HOUR_MS = 3_600_000;
  const setClock = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
  const { signal } = new AbortController();

  test('forward, an upload whose lock is renewed goes on', async () => {
    const { deps } = createFakeDeps({ answer: () => [{ wanted: false }] });
    const lock = createDatabaseLocker(deps).newLock('upload');
    const asked = vi.fn();
    await lock.lock(signal, asked);
    await vi.advanceTimersByTimeAsync(3_000);
    setClock(HOUR_MS);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(asked).not.toHaveBeenCalled();
    await lock.unlock();
  });

  test('back, one that cannot renew its lock stops all the same', async () => {
    const answer = ({ sql }: Query): object[] | Error => (sql.startsWith('insert') ? [{}] : new Error('terminated'));
    const { deps } = createFakeDeps({ answer });
    const lock = createDatabaseLocker(deps).newLock('upload');
    const asked = vi.fn();
    await lock.lock(signal, asked);
    setClock(-HOUR_MS);
    await vi.advanceTimersByTimeAsync(10_000 - DRAIN_MS);
    expect(asked).toHaveBeenCalled();
    await lock.unlock();
  });

  test('back, one that waits for a lock is refused no later', async () => {
    let left = 6;
    const answer = (): object[] | Error => ((left -= 1) < 0 ? new Error('asked further') : []);
    const { deps } = createFakeDeps({ answer });
    const refused = expect(createDatabaseLocker(deps).newLock('upload').lock(signal, vi.fn())).rejects.toMatchObject({
      status_code: 423,
    });
    setClock(-HOUR_MS);
    await vi.advanceTimersByTimeAsync(16_000);
    await refused;
  });
});

test('A holder whose lease ran out while the machine slept is asked and awaited before the next one begins', async () => {
  const { deps } = createFakeDeps({ answer: () => [{ wanted: false }] });
  const locker = createDatabaseLocker(deps);
  const [late, next] = [locker.newLock('upload'), locker.newLock('upload')];
  const { signal } = new AbortController();
  const did: string[] = [];
  await late.lock(signal, () => void did.push('late is asked'));
  const began = next.lock(signal, () => undefined).then(() => did.push('next begins'));
  await vi.advanceTimersByTimeAsync(100);
  did.push('late ends');
  await late.unlock();
  await vi.advanceTimersByTimeAsync(250);
  await began;
  expect(did).toEqual(['late is asked', 'late ends', 'next begins']);
  await next.unlock();
});
