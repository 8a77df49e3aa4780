import { expect, test } from 'vitest';
import { getDeletionDate } from './retention.ts';

test('The retention period begins when a contribution was completed (retention)', () => {
  expect(getDeletionDate('2026-01-01T10:00:00Z', null, 30)).toBe('2026-01-31T10:00:00.000Z');
  expect(getDeletionDate('2026-01-01T10:00:00Z', '2026-01-05T10:00:00Z', 30)).toBe('2026-02-04T10:00:00.000Z');
});

test('A shorter period brings the date forward (retention)', () => {
  const created = '2026-01-01T10:00:00Z';
  expect(getDeletionDate(created, null, 10) < getDeletionDate(created, null, 30)).toBe(true);
});
