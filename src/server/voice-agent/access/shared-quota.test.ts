import { expect, test } from 'vitest';
import type { Database, Tx } from '#backend/index.ts';
import { testClock } from '#tests/support/voice-clock.ts';
import { VOICE_LIMITS } from '../settings.ts';
import { createSharedQuota } from './shared-quota.ts';

const LIMITS = { ...VOICE_LIMITS, sessions: 1, sessionsPerUser: 1, guestSessionsPerNetwork: 1, minutesPerDay: 60 };
const NOBODY = { all: 0, paid: 0, guests: 0, paidGuests: 0, guestsOfNetwork: 0 };
const SESSION = { subject: 'a', paid: true, guest: false, network: '127.0.0.1' };

/** Records what each transaction does, and holds those that keep sessions alive until `letGo`. */
function recordDatabase() {
  const done: string[] = [];
  const held = Promise.withResolvers<undefined>();
  const query = async (sql: string) => {
    const isHeartbeat = sql.includes('as held');
    if (isHeartbeat) await held.promise;
    if (isHeartbeat || sql.includes('where id = $1')) done.push(isHeartbeat ? 'heartbeat' : 'end');
    return { rows: [] };
  };
  const asOwner = (work: (tx: Tx) => Promise<unknown>) => work({ query } as never);
  return { database: { asOwner } as unknown as Database, done, letGo: () => held.resolve(undefined) };
}

test('A session that ends while a heartbeat is under way ends after it, not before', async () => {
  const { database, done, letGo } = recordDatabase();
  const clock = testClock();
  const quota = createSharedQuota({
    database,
    secret: 'x',
    limits: LIMITS,
    clock,
    onError: () => expect.unreachable(),
  });
  const admission = await quota.admit(SESSION);
  clock.advance(60_000);
  if (admission.admitted) admission.release();
  letGo();
  await quota.close();
  expect(done).toEqual(['heartbeat', 'end']);
});

test('A session that is admitted while the server stops has ended before the stop', async () => {
  const counted = Promise.withResolvers<undefined>();
  const done: string[] = [];
  const query = async (sql: string) => {
    if (sql.includes('pg_advisory_xact_lock')) await counted.promise;
    if (sql.includes('insert into private.voice_sessions')) done.push('begin');
    if (sql.includes('where id = $1')) done.push('end');
    return { rows: [] };
  };
  const asOwner = (work: (tx: Tx) => Promise<unknown>) => work({ query } as never);
  const database = { asOwner } as unknown as Database;
  const onError = () => expect.unreachable();
  const quota = createSharedQuota({ database, secret: 'x', limits: LIMITS, clock: testClock(), onError });
  const admission = quota.admit(SESSION);
  const closed = quota.close().then(() => done.push('closed'));
  counted.resolve(undefined);
  await Promise.all([admission, closed]);
  expect(done).toEqual(['begin', 'end', 'closed']);
});

test('A session that has ended here does not count against the next one of its user', async () => {
  const ending = Promise.withResolvers<undefined>();
  const own = { own: 0 };
  const query = async (sql: string) => {
    if (sql.includes('insert into private.voice_sessions')) own.own += 1;
    if (sql.includes('where id = $1')) {
      await ending.promise;
      own.own -= 1;
    }
    return { rows: sql.includes('as own, count(*)') ? [{ ...NOBODY, ...own }] : [] };
  };
  const asOwner = (work: (tx: Tx) => Promise<unknown>) => work({ query } as never);
  const database = { asOwner } as unknown as Database;
  const onError = () => expect.unreachable();
  const quota = createSharedQuota({ database, secret: 'x', limits: LIMITS, clock: testClock(), onError });
  const first = await quota.admit(SESSION);
  expect(await quota.check(SESSION)).toBe('sessions-of-user');
  if (first.admitted) first.release();
  const [checked, admitted] = [quota.check(SESSION), quota.admit(SESSION)];
  // Nobody waits for the end of another user's session.
  expect(await quota.check({ ...SESSION, subject: 'b' })).toBe('sessions-of-user');
  ending.resolve(undefined);
  expect(await checked).toBeUndefined();
  expect(await admitted).toMatchObject({ admitted: true });
});

test('A guest waits for the end of a session that counts against the network, not against the key', async () => {
  const ending = Promise.withResolvers<undefined>();
  const guests = { guests: 0, guestsOfNetwork: 0 };
  const query = async (sql: string) => {
    if (sql.includes('insert into private.voice_sessions')) guests.guestsOfNetwork += 1;
    if (sql.includes('where id = $1')) {
      await ending.promise;
      guests.guestsOfNetwork -= 1;
    }
    return { rows: sql.includes('as own, count(*)') ? [{ ...NOBODY, own: 0, ...guests }] : [] };
  };
  const asOwner = (work: (tx: Tx) => Promise<unknown>) => work({ query } as never);
  const database = { asOwner } as unknown as Database;
  const onError = () => expect.unreachable();
  const quota = createSharedQuota({ database, secret: 'x', limits: LIMITS, clock: testClock(), onError });
  const guest = { ...SESSION, guest: true };
  const first = await quota.admit(guest);
  const other = { ...guest, subject: 'another contribution' };
  expect(await quota.check(other)).toBe('sessions-of-network');
  if (first.admitted) first.release();
  const [checked, admitted] = [quota.check(other), quota.admit(other)];
  // Nobody waits for the end of a session in another network.
  expect(await quota.check({ ...other, network: '127.0.0.2' })).toBe('sessions-of-network');
  ending.resolve(undefined);
  expect(await checked).toBeUndefined();
  expect(await admitted).toMatchObject({ admitted: true });
});
