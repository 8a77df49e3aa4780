import { expect, it, vi } from 'vitest';
import { formatBytes, formatDate, formatFullDay, formatWhen, getDeletionDate } from './format.ts';

it.each([
  [0, '0 Byte'],
  [1, '1 Byte'],
  [1_023, '1.023 Byte'],
  [1_024, '1 KB'],
  [751_616, '734 KB'],
  [12_897_485, '12,3 MB'],
  [1_986_422_374, '1,85 GB'],
  [5 * 1024 ** 3, '5 GB'],
  [1024 ** 2 - 1, '1 MB'],
  [1024 ** 3 - 1, '1 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it('A day is that of Germany, as in mails and in the filter of the desk', () => {
  vi.stubEnv('TZ', 'America/New_York');
  expect(new Date('2026-07-09T23:00:00Z').getDate()).toBe(9);
  expect(formatDate('2026-07-09T23:00:00Z')).toBe('10.07.2026');
  vi.unstubAllEnvs();
});

it('A day of the calendar is the same in every time zone', () => {
  expect(formatFullDay('2026-01-05')).toBe('05.01.2026');
});

it.each([
  ['2026-11-20T14:32:00', '14:32'],
  ['2026-11-19T23:59:00', '19. Nov.'],
  ['2026-01-01T00:00:00', '1. Jan.'],
  ['2025-11-20T14:32:00', '20.11.2025'],
])('%s is %s on 20 November 2026', (iso, text) => {
  expect(formatWhen(iso, new Date('2026-11-20T18:00:00'))).toBe(text);
});

it('The retention period begins when a contribution was completed (retention)', () => {
  expect(getDeletionDate('2026-01-01T10:00:00Z', null, 30)).toBe('2026-01-31T10:00:00.000Z');
  expect(getDeletionDate('2026-01-01T10:00:00Z', '2026-01-05T10:00:00Z', 30)).toBe('2026-02-04T10:00:00.000Z');
});

it('A shorter period brings the date forward (retention)', () => {
  const created = '2026-01-01T10:00:00Z';
  expect(getDeletionDate(created, null, 10) < getDeletionDate(created, null, 30)).toBe(true);
});
