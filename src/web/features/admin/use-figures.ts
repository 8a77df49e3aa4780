import { useCallback, useEffect, useRef, useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { loadActivity, loadStatistics, type RoleStatistics, type WeekActivity } from '#web/backend/statistics.ts';
import { useToast } from '#web/ui/toast.tsx';
import { adminTexts } from './texts.ts';

export const WEEKS_SHOWN = 12;

export type Loadable<T> = Readonly<{ status: 'loading' | 'failed' }> | Readonly<{ status: 'ready'; value: T }>;

export type Figures = Readonly<{
  statistics: Loadable<readonly RoleStatistics[]>;
  activity: Loadable<readonly WeekActivity[]>;
  /** Time at which the figures were loaded. */
  asOf: Date | undefined;
  busy: boolean;
  refresh: () => void;
}>;

type State = Omit<Figures, 'refresh'>;

const FIRST: State = {
  statistics: { status: 'loading' },
  activity: { status: 'loading' },
  asOf: undefined,
  busy: true,
};

/** §8 'Other': a load error shows its message or 'Unbekannter Fehler', and the dashboard shows no data. */
export function useFigures(): Figures {
  const { supabase } = useBackend();
  const toast = useToast();
  const [state, setState] = useState<State>(FIRST);
  const latest = useRef(0);
  const load = useCallback(async (): Promise<void> => {
    latest.current += 1;
    const mine = latest.current;
    const [statistics, activity] = await Promise.allSettled([
      loadStatistics(supabase),
      loadActivity(supabase, WEEKS_SHOWN),
    ]);
    if (mine !== latest.current) return;
    setState({ statistics: toLoadable(statistics), activity: toLoadable(activity), asOf: new Date(), busy: false });
    const failure = [statistics, activity].find((result) => result.status === 'rejected');
    if (failure !== undefined) {
      toast({ title: adminTexts.failed, description: getMessage(failure.reason), variant: 'destructive' });
    }
  }, [supabase, toast]);
  useEffect(() => void load(), [load]);
  const refresh = (): void => {
    setState((before) => ({
      ...before,
      statistics: keepReady(before.statistics),
      activity: keepReady(before.activity),
      busy: true,
    }));
    void load();
  };
  return { ...state, refresh };
}

function toLoadable<T>(result: PromiseSettledResult<T>): Loadable<T> {
  return result.status === 'fulfilled' ? { status: 'ready', value: result.value } : { status: 'failed' };
}

/** Keeps loaded figures during a reload. */
function keepReady<T>(shown: Loadable<T>): Loadable<T> {
  return shown.status === 'ready' ? shown : { status: 'loading' };
}

/** Returns the backend's message only; other messages are for developers. */
function getMessage(reason: unknown): string {
  return reason instanceof Error && reason.name === 'Error' && reason.message !== ''
    ? reason.message
    : adminTexts.unknownError;
}
