import { describe, expect, test } from 'vitest';
import { judgeToken } from './refresh.ts';

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
