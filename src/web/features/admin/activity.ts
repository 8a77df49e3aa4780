import { CONTRIBUTION_KINDS, type ContributionKind } from '#contract/desk.ts';
import type { WeekActivity } from '#web/backend/statistics.ts';

/** One column of the week chart. */
export type Week = Readonly<{ start: string; contributions: number; files: number; total: number }>;

export function countWeeks(activity: readonly WeekActivity[]): readonly Week[] {
  return activity.map(({ start, contributions, files }) => {
    const made = CONTRIBUTION_KINDS.reduce((sum, kind) => sum + contributions[kind], 0);
    return { start, contributions: made, files, total: made + files };
  });
}

export type KindTotal = Readonly<{ kind: ContributionKind; total: number }>;

export function countKinds(activity: readonly WeekActivity[]): readonly KindTotal[] {
  return CONTRIBUTION_KINDS.map((kind) => ({
    kind,
    total: activity.reduce((sum, { contributions }) => sum + contributions[kind], 0),
  }));
}

/** Finds the entry with the highest total, the earlier of equal ones. */
export function findBusiest<T extends Readonly<{ total: number }>>(entries: readonly T[]): T | undefined {
  return entries.reduce<T | undefined>(
    (best, entry) => (best === undefined || entry.total > best.total ? entry : best),
    undefined,
  );
}

/** Rounds up to 2, 4, 10, 20, 40, 100 …, whose half is a whole number. */
export function chooseAxisEnd(largest: number): number {
  for (let power = 1; ; power *= 10) {
    const end = [2, 4, 10].map((step) => step * power).find((candidate) => candidate >= largest);
    if (end !== undefined) return end;
  }
}
