import { KINDS, type Kind, type WeekActivity } from '#web/backend/statistics.ts';

/** A week as the chart draws it. */
export type Week = Readonly<{ start: string; interviews: number; uploads: number; total: number }>;

export function weeksOf(activity: readonly WeekActivity[]): readonly Week[] {
  return activity.map(({ start, counts }) => {
    const total = KINDS.reduce((sum, kind) => sum + counts[kind], 0);
    return { start, interviews: counts.interview, uploads: total - counts.interview, total };
  });
}

export type KindTotal = Readonly<{ kind: Kind; total: number }>;

export function kindTotals(activity: readonly WeekActivity[]): readonly KindTotal[] {
  return KINDS.map((kind) => ({ kind, total: activity.reduce((sum, { counts }) => sum + counts[kind], 0) }));
}

/** The one with the most; the earlier of two equal ones. */
export function most<T extends Readonly<{ total: number }>>(entries: readonly T[]): T | undefined {
  return entries.reduce<T | undefined>(
    (best, entry) => (best === undefined || entry.total > best.total ? entry : best),
    undefined,
  );
}

/** The end of an axis: the next of 2, 4, 10, 20, 40, 100 …, so that its half is a whole number too. */
export function axisEnd(largest: number): number {
  for (let power = 1; ; power *= 10) {
    const end = [2, 4, 10].map((step) => step * power).find((candidate) => candidate >= largest);
    if (end !== undefined) return end;
  }
}
