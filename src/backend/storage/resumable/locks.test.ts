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
