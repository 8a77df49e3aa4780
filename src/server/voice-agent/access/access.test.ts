import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { createBucket } from '../gateway/rate.ts';
import { VOICE_LIMITS } from '../settings.ts';
import { createQuota } from './quota.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const testClock = () => ({ ...systemClock, advance: (ms: number) => void vi.advanceTimersByTime(ms) });

const LIMITS = { ...VOICE_LIMITS, sessions: 3, sessionsPerUser: 2, minutesPerDay: 40 };

test('security.md row 7: two conversations a user, and so many in all', () => {
  const quota = createQuota(LIMITS, testClock());
  const free = { subject: 'a', paid: false };
  const first = quota.enter(free);
  quota.enter(free);
  expect(quota.check(free)).toEqual({ admitted: false, why: 'sessions-of-user' });
  expect(quota.enter({ subject: 'b', paid: false }).admitted).toBe(true);
  expect(quota.check({ subject: 'c', paid: false })).toEqual({ admitted: false, why: 'capacity' });
  if (first.admitted) for (let twice = 0; twice < 2; twice++) first.leave();
  expect(quota.check({ subject: 'c', paid: false })).toBeUndefined();
  expect(quota.check(free)).toBeUndefined();
});

test('minutes of a day: what runs counts at its full length, what is over at its real one; the next day is new', () => {
  const clock = testClock();
  const quota = createQuota(LIMITS, clock);
  const paid = (subject: string) => ({ subject, paid: true });
  const [first, second] = [quota.enter(paid('a')), quota.enter(paid('b'))];
  expect(quota.check(paid('c'))).toEqual({ admitted: false, why: 'capacity' });
  expect(quota.check({ subject: 'c', paid: false })).toBeUndefined();
  clock.advance(5 * 60_000);
  if (first.admitted) first.leave();
  expect(quota.check(paid('c'))).toBeUndefined();
  clock.advance(10 * 60_000);
  if (second.admitted) second.leave();
  expect(quota.check(paid('c'))).toBeUndefined();
  for (const subject of ['c', 'd']) {
    const visit = quota.enter(paid(subject));
    clock.advance(10 * 60_000);
    if (visit.admitted) visit.leave();
  }
  expect(quota.check(paid('e'))).toEqual({ admitted: false, why: 'capacity' });
  clock.advance(86_400_000);
  expect(quota.check(paid('e'))).toBeUndefined();
});

test('one user cannot use up everybody’s day: a quarter of it, two conversations at least', () => {
  const clock = testClock();
  const quota = createQuota({ ...LIMITS, minutesPerDay: 200 }, clock);
  for (let visits = 0; visits < 3; visits++) {
    const visit = quota.enter({ subject: 'a', paid: true });
    expect(visit.admitted).toBe(true);
    clock.advance(15 * 60_000);
    if (visit.admitted) visit.leave();
  }
  expect(quota.check({ subject: 'a', paid: true })).toEqual({ admitted: false, why: 'capacity' });
  expect(quota.check({ subject: 'a', paid: false })).toBeUndefined();
  expect(quota.check({ subject: 'b', paid: true })).toBeUndefined();
});

test('a bucket gives what comes back with time and no more than it holds', () => {
  const bucket = createBucket(10, 0.01, 0);
  expect(bucket.take(10, 0)).toBe(true);
  expect(bucket.take(1, 99)).toBe(false);
  expect(bucket.take(1, 100)).toBe(true);
  expect(bucket.take(11, 1e9)).toBe(false);
  expect(bucket.take(10, 1e9)).toBe(true);
});
