import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WeekActivity } from '#web/backend/statistics.ts';
import { formatDay } from '#web/ui/format.ts';
import { chooseAxisEnd, countKinds, countWeeks, findBusiest } from './figures.ts';

const none = { interview: 0, voice_message: 0, video: 0, image: 0, document: 0, contributor: 0 };
const ACTIVITY: readonly WeekActivity[] = [
  { start: '2026-11-09', contributions: { ...none, interview: 3, voice_message: 2, document: 1 }, files: 4 },
  { start: '2026-11-16', contributions: { ...none, interview: 1, image: 5 }, files: 4 },
];

describe('Admin: figures of the charts', () => {
  test('Counts contributions, files, and the total of a week', () => {
    expect(countWeeks(ACTIVITY)).toEqual([
      { start: '2026-11-09', contributions: 6, files: 4, total: 10 },
      { start: '2026-11-16', contributions: 6, files: 4, total: 10 },
    ]);
  });

  test('Counts each kind of contribution over all weeks (U14), in the order of the kinds', () => {
    // prettier-ignore
    expect(countKinds(ACTIVITY).map(({ kind, total }) => `${kind} ${total}`)).toEqual([
      'interview 4', 'voice_message 2', 'video 0', 'image 5', 'document 1', 'contributor 0',
    ]);
  });

  test('Finds the earlier of two equal weeks, and none in an empty list', () => {
    expect(findBusiest(countWeeks(ACTIVITY))?.start).toBe('2026-11-09');
    expect(findBusiest([])).toBeUndefined();
  });

  test('Formats the same day in every time zone', () => {
    expect(formatDay('2026-03-01')).toBe('1.3.');
  });

  test('Ends an axis at 1 to 2.5 times the largest value, with a whole half', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (largest) => {
        const end = chooseAxisEnd(largest);
        expect(end).toBeGreaterThanOrEqual(largest);
        expect(end % 2).toBe(0);
        expect(end).toBeLessThanOrEqual(Math.max(2, largest * 2.5));
      }),
    );
  });
});
