import { describe, expect, test } from 'vitest';
import { judgeSession } from './session-limits.ts';

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
