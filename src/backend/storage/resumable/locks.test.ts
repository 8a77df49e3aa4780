import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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

test('A holder whose lock has gone to another request leaves that one to be asked', async () => {
  let held = false;
  const answer = ({ sql }: Query): object[] => (sql.startsWith('insert') ? (held ? [] : [{}]) : []);
  const { deps } = createFakeDeps({ answer });
  const locker = createDatabaseLocker(deps);
  const [late, next, third] = [locker.newLock('upload'), locker.newLock('upload'), locker.newLock('upload')];
  const { signal } = new AbortController();
  await late.lock(signal, () => undefined);
  const asked = vi.fn(() => void (held = false));
  await next.lock(signal, asked);
  held = true;
  await late.unlock();
  const waiting = third.lock(signal, () => undefined);
  await vi.advanceTimersByTimeAsync(250);
  expect(asked).toHaveBeenCalledOnce();
  await waiting;
  await Promise.all([next.unlock(), third.unlock()]);
});
