import { describe, expect, test } from 'vitest';
import { judgeSession, judgeToken } from './reuse.ts';

const row = (token: string, parent: string | null, revoked: boolean) => ({
  token,
  parent,
  revoked,
  updated_at: new Date(0),
});

describe('contract §1.5 refresh tokens', () => {
  const grandparent = row('a', null, true);
  const parent = row('b', 'a', true);
  const active = row('c', 'b', false);
  test.each([
    ['the active one is exchanged', active, active, 1e12, 'rotate'],
    ['its parent gets it again, however late', parent, active, 1e12, 'same'],
    ['an older one within the interval', grandparent, active, 10_000, 'same'],
    ['an older one after it', grandparent, active, 10_001, 'stolen'],
    ['any of a dead family, however early', parent, undefined, 0, 'stolen'],
  ] as const)('%s', (_name, presented, current, now, verdict) => {
    expect(judgeToken({ presented, active: current, now, reuseIntervalMs: 10_000 })).toBe(verdict);
  });
});

describe('contract §1.5 session limits', () => {
  const session = {
    id: 's',
    user_id: 'u',
    created_at: new Date(0),
    refreshed_at: new Date(500),
    not_after: null,
    aal: 'aal1',
  };
  const none = { timeboxMs: undefined, inactivityMs: undefined, lowAalMs: undefined };
  test.each([
    ['no limit', session, none, 1e12, 'valid'],
    ['time-box reached', session, { ...none, timeboxMs: 1_000 }, 1_000, 'valid'],
    ['time-box over', session, { ...none, timeboxMs: 1_000 }, 1_001, 'expired'],
    ['in use', session, { ...none, inactivityMs: 1_000 }, 1_500, 'valid'],
    ['out of use', session, { ...none, inactivityMs: 1_000 }, 1_501, 'inactive'],
    ['never refreshed', { ...session, refreshed_at: null }, { ...none, inactivityMs: 1_000 }, 1_001, 'inactive'],
    ['not_after', { ...session, not_after: new Date(10) }, none, 11, 'expired'],
    ['waiting for the second factor', session, { ...none, lowAalMs: 1_000 }, 1_000, 'valid'],
    ['waiting too long', session, { ...none, lowAalMs: 1_000 }, 1_001, 'low-aal'],
    ['it was shown', { ...session, aal: 'aal2' }, { ...none, lowAalMs: 1_000 }, 1e12, 'valid'],
  ] as const)('%s', (_name, given, limits, now, verdict) =>
    expect(judgeSession(given, limits, { now, secondFactor: true })).toBe(verdict),
  );
  test('Does not wait for a second factor that the user lacks', () => {
    const limits = { ...none, lowAalMs: 1_000 };
    expect(judgeSession(session, limits, { now: 1e12, secondFactor: false })).toBe('valid');
  });
});
