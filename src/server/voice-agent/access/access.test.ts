import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { createTokenBucket } from '../gateway/frames.ts';
import { VOICE_LIMITS } from '../settings.ts';
import { createQuota, type CountedSession } from './quota.ts';
import { createTickets } from './tickets.ts';

const NOON = new Date('2026-11-20T12:00:00Z');

beforeEach(() => void vi.useFakeTimers({ now: NOON, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const testClock = () => ({ ...systemClock, advance: (ms: number) => void vi.advanceTimersByTime(ms) });

test('Redeems a ticket once before it expires; no two are alike', async () => {
  const clock = testClock();
  const tickets = createTickets<number>(60_000, 100, clock);
  const issued = await Promise.all(Array.from({ length: 100 }, (_, at) => tickets.issue('a', at)));
  expect(new Set(issued).size).toBe(100);
  expect(await tickets.redeem(issued[7] ?? '')).toBe(7);
  expect(await tickets.redeem(issued[7] ?? '')).toBeUndefined();
  expect(await tickets.redeem('')).toBeUndefined();
  clock.advance(60_000);
  expect(await tickets.redeem(issued[8] ?? '')).toBeUndefined();
});

test('Drops the oldest ticket of an owner with too many', async () => {
  const tickets = createTickets<number>(60_000, 2, testClock());
  const foreign = await tickets.issue('b', 0);
  const own = await Promise.all([1, 2, 3].map((value) => tickets.issue('a', value)));
  expect(await Promise.all([foreign, ...own].map((ticket) => tickets.redeem(ticket)))).toEqual([0, undefined, 2, 3]);
});

const LIMITS = { ...VOICE_LIMITS, sessions: 3, sessionsPerUser: 2, guestSessionsPerNetwork: 10, minutesPerDay: 40 };
const member = (subject: string, paid = false): CountedSession => ({
  subject,
  paid,
  guest: false,
  network: '192.0.2.1',
});
const guest = (subject: string, network: string, paid = false): CountedSession => ({
  subject,
  paid,
  guest: true,
  network,
});

test('Limits conversations of a user and in all (threat 7)', async () => {
  const quota = createQuota(LIMITS, testClock());
  const free = member('a');
  const first = await quota.admit(free);
  await quota.admit(free);
  expect(await quota.check(free)).toBe('sessions-of-user');
  expect(await quota.admit(member('b'))).toMatchObject({ admitted: true });
  expect(await quota.check(member('c'))).toBe('capacity');
  if (first.admitted) for (let twice = 0; twice < 2; twice++) first.release();
  expect(await quota.check(member('c'))).toBeUndefined();
  expect(await quota.check(free)).toBeUndefined();
});

test('Counts running conversations at full length, ended ones at their real length, and starts each day at zero', async () => {
  const clock = testClock();
  const quota = createQuota(LIMITS, clock);
  const paid = (subject: string) => member(subject, true);
  const [first, second] = [await quota.admit(paid('a')), await quota.admit(paid('b'))];
  expect(await quota.check(paid('c'))).toBe('capacity');
  expect(await quota.check(member('c'))).toBeUndefined();
  clock.advance(5 * 60_000);
  if (first.admitted) first.release();
  expect(await quota.check(paid('c'))).toBeUndefined();
  clock.advance(10 * 60_000);
  if (second.admitted) second.release();
  expect(await quota.check(paid('c'))).toBeUndefined();
  for (const subject of ['c', 'd']) {
    const session = await quota.admit(paid(subject));
    clock.advance(10 * 60_000);
    if (session.admitted) session.release();
  }
  expect(await quota.check(paid('e'))).toBe('minutes');
  clock.advance(86_400_000);
  expect(await quota.check(paid('e'))).toBeUndefined();
});

test('A day of minutes is one of UTC, as pages say, whenever the server was started', async () => {
  const clock = testClock();
  const quota = createQuota(LIMITS, clock);
  clock.advance(11.5 * 3_600_000);
  for (const subject of ['a', 'b']) {
    const session = await quota.admit(member(subject, true));
    clock.advance(14 * 60_000);
    if (session.admitted) session.release();
  }
  expect(await quota.check(member('c', true))).toBe('minutes');
  clock.advance(2 * 60_000);
  expect(await quota.check(member('c', true))).toBeUndefined();
});

test('Limits one user to a quarter of the day, but at least two conversations', async () => {
  const clock = testClock();
  const quota = createQuota({ ...LIMITS, minutesPerDay: 200 }, clock);
  for (let sessions = 0; sessions < 3; sessions++) {
    const session = await quota.admit(member('a', true));
    expect(session.admitted).toBe(true);
    clock.advance(15 * 60_000);
    if (session.admitted) session.release();
  }
  expect(await quota.check(member('a', true))).toBe('minutes');
  expect(await quota.check(member('a'))).toBeUndefined();
  expect(await quota.check(member('b', true))).toBeUndefined();
});

test('Counts guests by network, but not members (threat 7)', async () => {
  const quota = createQuota({ ...LIMITS, sessions: 100, guestSessionsPerNetwork: 2 }, testClock());
  for (const key of ['k1', 'k2']) expect((await quota.admit(guest(key, '192.0.2.1'))).admitted).toBe(true);
  expect(await quota.admit(guest('k3', '192.0.2.1'))).toEqual({ admitted: false, why: 'sessions-of-network' });
  expect(await quota.check(guest('k3', '2001:db8:0:1::/64'))).toBeUndefined();
  expect(await quota.check(member('m'))).toBeUndefined();
});

test('Guests leave a quarter of the places to members (threat 7)', async () => {
  const quota = createQuota({ ...LIMITS, sessions: 8 }, testClock());
  for (let at = 0; at < 6; at++) expect((await quota.admit(guest(`k${at}`, `192.0.2.${at}`))).admitted).toBe(true);
  expect(await quota.check(guest('k6', '192.0.2.6'))).toBe('capacity');
  for (const user of ['a', 'b']) expect((await quota.admit(member(user))).admitted).toBe(true);
  expect(await quota.check(member('c'))).toBe('capacity');
});

test('Guests leave a quarter of the minutes of a day to members (threat 7)', async () => {
  const clock = testClock();
  const quota = createQuota({ ...LIMITS, sessions: 100, minutesPerDay: 120 }, clock);
  for (let at = 0; at < 6; at++) {
    const session = await quota.admit(guest(`k${at}`, '192.0.2.1', true));
    clock.advance(15 * 60_000);
    if (session.admitted) session.release();
  }
  expect(await quota.check(guest('k6', '192.0.2.6', true))).toBe('minutes');
  expect(await quota.check(guest('k6', '192.0.2.6'))).toBeUndefined();
  expect(await quota.check(member('m', true))).toBeUndefined();
});

test('Refills a token bucket with time up to its capacity', () => {
  const bucket = createTokenBucket(10, 0.01, 0);
  expect(bucket.take(10, 0)).toBe(true);
  expect(bucket.take(1, 99)).toBe(false);
  expect(bucket.take(1, 100)).toBe(true);
  expect(bucket.take(11, 1e9)).toBe(false);
  expect(bucket.take(10, 1e9)).toBe(true);
});
