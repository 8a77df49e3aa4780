import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { CONTRIBUTION_KINDS, type ContributionKind } from '#contract/desk.ts';
import { useBackend } from '#web/backend/client.ts';
import { loadActivity, loadStatistics, type WeekActivity } from '#web/backend/statistics.ts';
import { adminTexts } from './texts.ts';

export const WEEKS_SHOWN = 12;

export type Loadable<T> = Readonly<{ status: 'loading' | 'failed' }> | Readonly<{ status: 'ready'; value: T }>;

export type Figures = ReturnType<typeof useFigures>;

/** §8 'Other': a load error shows its message or 'Unbekannter Fehler', and the dashboard shows no data. */
export function useFigures() {
  const { supabase } = useBackend();
  const statistics = useQuery({
    queryKey: ['figures', 'statistics'],
    queryFn: ({ signal }) => loadStatistics(supabase, signal),
  });
  const activity = useQuery({
    queryKey: ['figures', 'activity'],
    queryFn: ({ signal }) => loadActivity(supabase, WEEKS_SHOWN, signal),
  });
  const busy = statistics.isFetching || activity.isFetching;
  const error = busy ? null : (statistics.error ?? activity.error);
  const last = Math.max(statistics.dataUpdatedAt, activity.dataUpdatedAt);
  return {
    statistics: toLoadable(statistics),
    activity: toLoadable(activity),
    loadedAt: last === 0 ? undefined : new Date(last),
    /** Why there are none. */
    problem: error === null ? undefined : getMessage(error),
    busy,
    refresh: () => void Promise.all([statistics.refetch(), activity.refetch()]),
  };
}

/** Keeps loaded figures during a reload, but not after a failed one. */
function toLoadable<T>({ data, isError, isFetching }: UseQueryResult<T>): Loadable<T> {
  if (isError && !isFetching) return { status: 'failed' };
  return data === undefined || isError ? { status: 'loading' } : { status: 'ready', value: data };
}

/** Returns the backend's message only; other messages are for developers. */
function getMessage({ name, message }: Error): string {
  return name === 'Error' && message !== '' ? message : adminTexts.unknownError;
}

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
