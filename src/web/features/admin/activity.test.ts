import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WeekActivity } from '#web/backend/statistics.ts';
import { axisEnd, kindTotals, most, weeksOf } from './activity.ts';
import { formatDay } from '#web/ui/format.ts';

const none = { interview: 0, audio: 0, video: 0, image: 0, document: 0, text: 0 };
const ACTIVITY: readonly WeekActivity[] = [
  { start: '2026-11-09', counts: { ...none, interview: 3, audio: 2, text: 1 } },
  { start: '2026-11-16', counts: { ...none, interview: 1, image: 5 } },
];

describe('what the charts draw', () => {
  test('a week: interviews, everything else as uploads, and both', () => {
    expect(weeksOf(ACTIVITY)).toEqual([
      { start: '2026-11-09', interviews: 3, uploads: 3, total: 6 },
      { start: '2026-11-16', interviews: 1, uploads: 5, total: 6 },
    ]);
  });

  test('a kind over all weeks, in the order of the kinds', () => {
    // prettier-ignore
    expect(kindTotals(ACTIVITY).map(({ kind, total }) => `${kind} ${total}`)).toEqual([
      'interview 4', 'audio 2', 'video 0', 'image 5', 'document 0', 'text 1',
    ]);
  });

  test('the most is the earlier of two equal ones; of nothing there is none', () => {
    expect(most(weeksOf(ACTIVITY))?.start).toBe('2026-11-09');
    expect(most([])).toBeUndefined();
  });

  test('a day of the calendar is the same in every time zone', () => {
    expect(formatDay('2026-03-01')).toBe('1.3.');
  });

  test('an axis ends at or above the largest value, at most 2.5 times as high, with a whole half', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (largest) => {
        const end = axisEnd(largest);
        expect(end).toBeGreaterThanOrEqual(largest);
        expect(end % 2).toBe(0);
        expect(end).toBeLessThanOrEqual(Math.max(2, largest * 2.5));
      }),
    );
  });
});
