import { expect, test } from 'vitest';
import { createAllowance, type AllowanceLimits } from './allowance.ts';
import { SpeechError } from './errors.ts';

const WIDE: AllowanceLimits = { callsPerMinute: 1_000, bytesPerMinute: 1e9, callerBytesPerDay: 1e9, bytesPerDay: 1e9 };

function refusal(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof SpeechError) return [error.code, error.details.retryAfterS];
  }
  return 'allowed';
}

test('threat 7: calls are counted by the minute', () => {
  let now = 0;
  const allowance = createAllowance({ ...WIDE, callsPerMinute: 2 }, () => now);
  const call = (): unknown => refusal(() => allowance.reserve(['a'], 1, true));
  expect([call(), call()]).toEqual(['allowed', 'allowed']);
  now = 45_000;
  expect(call()).toEqual(['rate_limited', 15]);
  now = 60_000;
  expect(call()).toBe('allowed');
});

test('threat 7: bytes are reserved before they come and given back when fewer came', () => {
  const allowance = createAllowance({ ...WIDE, bytesPerDay: 100 }, () => 0);
  const first = allowance.reserve(['a'], 80, true);
  expect(refusal(() => allowance.reserve(['b'], 30, true))).toEqual(['daily_limit_reached', 86_400]);
  first.settle(50);
  expect(refusal(() => allowance.reserve(['b'], 30, true))).toBe('allowed');
});

test('threat 7: settling never gives back more than was reserved, nor counts more', () => {
  const allowance = createAllowance({ ...WIDE, bytesPerDay: 100 }, () => 0);
  allowance.reserve(['a'], 60, true).settle(1_000);
  expect(refusal(() => allowance.reserve(['b'], 41, true))).toEqual(['daily_limit_reached', 86_400]);
  expect(refusal(() => allowance.reserve(['b'], 40, true))).toBe('allowed');
});

test('threat 7: one caller has a share of the day; a new day starts afresh', () => {
  let now = 0;
  const allowance = createAllowance({ ...WIDE, callerBytesPerDay: 10 }, () => now);
  allowance.reserve(['a'], 10, true);
  expect(refusal(() => allowance.reserve(['a'], 1, true))).toEqual(['daily_limit_reached', 86_400]);
  expect(refusal(() => allowance.reserve(['b'], 10, true))).toBe('allowed');
  now = 86_400_000;
  expect(refusal(() => allowance.reserve(['a'], 10, true))).toBe('allowed');
});

test('D12 an own key is not counted against the day, but by the minute', () => {
  const allowance = createAllowance({ ...WIDE, callsPerMinute: 2, bytesPerDay: 5 }, () => 0);
  expect(refusal(() => allowance.reserve(['a'], 50, false))).toBe('allowed');
  expect(refusal(() => allowance.reserve(['a'], 50, false))).toBe('allowed');
  expect(refusal(() => allowance.reserve(['a'], 50, false))).toEqual(['rate_limited', 60]);
});

test('D9 every name a caller goes under must have room', () => {
  const allowance = createAllowance({ ...WIDE, callsPerMinute: 1 }, () => 0);
  allowance.reserve(['key:1', 'address:x'], 1, true);
  expect(refusal(() => allowance.reserve(['key:2', 'address:x'], 1, true))).toEqual(['rate_limited', 60]);
});
