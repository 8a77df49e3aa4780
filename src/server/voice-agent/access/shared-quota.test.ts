import { expect, test } from 'vitest';
import type { Database, Tx } from '#backend/index.ts';
import { testClock } from '#tests/support/voice-clock.ts';
import { VOICE_LIMITS } from '../settings.ts';
import { createSharedQuota } from './shared-quota.ts';

const LIMITS = { ...VOICE_LIMITS, sessions: 1, sessionsPerUser: 1, guestSessionsPerNetwork: 1, minutesPerDay: 60 };
const NO_SESSIONS = { own: 0, all: 0, paid: 0, guests: 0, paidGuests: 0, guestsOfNetwork: 0 };
const SESSION = { subject: 'a', paid: true, guest: false, network: '127.0.0.1' };

type Query = (sql: string) => Promise<Readonly<{ rows: readonly object[] }>>;

/** A quota whose statements `query` answers. */
function createQuota(query: Query, clock = testClock()) {
  const asOwner = (work: (tx: Tx) => Promise<unknown>) => work({ query } as never);
  const database = { asOwner } as unknown as Database;
  return createSharedQuota({ database, secret: 'x', limits: LIMITS, clock, onError: () => expect.unreachable() });
}

/** One count of open sessions, which each end lowers once `letGo` is called. */
function countSessions(counted: 'own' | 'guestsOfNetwork') {
  let open = 0;
  const ending = Promise.withResolvers<undefined>();
  const quota = createQuota(async (sql) => {
    if (sql.includes('insert into private.voice_sessions')) open += 1;
    if (sql.includes('where id = $1')) {
      await ending.promise;
      open -= 1;
    }
    return { rows: sql.includes('as own, count(*)') ? [{ ...NO_SESSIONS, [counted]: open }] : [] };
  });
  return { quota, letGo: () => ending.resolve(undefined) };
}

test('A session that ends while a heartbeat is under way ends after it, not before', async () => {
  const done: string[] = [];
  const held = Promise.withResolvers<undefined>();
  const clock = testClock();
  const quota = createQuota(async (sql) => {
    const isHeartbeat = sql.includes('as held');
    if (isHeartbeat) await held.promise;
    if (isHeartbeat || sql.includes('where id = $1')) done.push(isHeartbeat ? 'heartbeat' : 'end');
    return { rows: [] };
  }, clock);
  const admission = await quota.admit(SESSION);
  clock.advance(60_000);
  if (admission.admitted) admission.release();
  held.resolve(undefined);
  await quota.close();
  expect(done).toEqual(['heartbeat', 'end']);
});

test('A session that is admitted while the server stops has ended before the stop', async () => {
  const counted = Promise.withResolvers<undefined>();
  const done: string[] = [];
  const quota = createQuota(async (sql) => {
    if (sql.includes('pg_advisory_xact_lock')) await counted.promise;
    if (sql.includes('insert into private.voice_sessions')) done.push('begin');
    if (sql.includes('where id = $1')) done.push('end');
    return { rows: [] };
  });
  const admission = quota.admit(SESSION);
  const closed = quota.close().then(() => done.push('closed'));
  counted.resolve(undefined);
  await Promise.all([admission, closed]);
  expect(done).toEqual(['begin', 'end', 'closed']);
});

const GUEST = { ...SESSION, guest: true };

test.each([
  ['of its user', 'own', SESSION, SESSION, { ...SESSION, subject: 'b' }],
  [
    'of a guest in the same network',
    'guestsOfNetwork',
    GUEST,
    { ...GUEST, subject: 'another contribution' },
    { ...GUEST, subject: 'another contribution', network: '127.0.0.2' },
  ],
] as const)(
  'A session that has ended here does not count against the next one %s',
  async (_of, counted, ended, next, stranger) => {
    const { quota, letGo } = countSessions(counted);
    const refusal = counted === 'own' ? 'sessions-of-user' : 'sessions-of-network';
    const first = await quota.admit(ended);
    expect(await quota.check(next)).toBe(refusal);
    if (first.admitted) first.release();
    const [checked, admitted] = [quota.check(next), quota.admit(next)];
    // The check of a session that shares nothing with the ended one does not wait.
    expect(await quota.check(stranger)).toBe(refusal);
    letGo();
    expect(await checked).toBeUndefined();
    expect(await admitted).toMatchObject({ admitted: true });
  },
);
