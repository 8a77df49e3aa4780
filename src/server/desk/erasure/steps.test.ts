import { afterEach, expect, test, vi } from 'vitest';
import { createPeriod } from './steps.ts';

afterEach(() => void vi.useRealTimers());

test.each([
  // 'Bis zum 10.', at several times of that day and after it, in summer and in winter.
  ['2026-07-09T22:30:00Z', '2026-06-09T22:30:00Z', false],
  ['2026-07-10T00:30:00Z', '2026-06-09T22:30:00Z', false],
  ['2026-07-10T22:30:00Z', '2026-06-09T22:30:00Z', true],
  ['2026-02-10T01:30:00Z', '2026-01-10T23:30:00Z', false],
  ['2026-02-10T22:30:00Z', '2026-01-10T23:30:00Z', false],
  ['2026-02-10T23:30:00Z', '2026-01-10T23:30:00Z', true],
  ['2026-02-10T22:30:00Z', '2026-01-11T22:30:00Z', false],
  ['2026-02-10T23:30:00Z', '2026-01-11T22:30:00Z', true],
])('Desk: at %s what was completed at %s and is kept for 30 days is due: %s', (now, completed, due) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(now) });
  expect(Date.parse(completed) < Date.parse(createPeriod(30)?.dueBefore() ?? '')).toBe(due);
});
