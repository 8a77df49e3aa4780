import { useCallback, useEffect, useState } from 'react';
import { getDeskProblem, type DeskProblem } from '#web/backend/desk-error.ts';

export type Loaded<T> =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | Readonly<{ status: 'ready'; value: T }>;

type UseLoaded<T> = Readonly<{ state: Loaded<T>; setState: (state: Loaded<T>) => void; reload: () => void }>;

/** Loads a value and reloads it on demand; the old value stays meanwhile. `load` needs a stable identity. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>): UseLoaded<T> {
  const [state, setState] = useState<Loaded<T>>({ status: 'loading' });
  const [request, setRequest] = useState({ load });
  if (request.load !== load) setRequest({ load });
  useEffect(() => {
    const superseded = new AbortController();
    request.load(superseded.signal).then(
      (value) => (superseded.signal.aborted ? undefined : setState({ status: 'ready', value })),
      (error: unknown) =>
        superseded.signal.aborted ? undefined : setState({ status: 'failed', problem: getDeskProblem(error) }),
    );
    return () => superseded.abort();
  }, [request]);
  const reload = useCallback(() => setRequest({ load }), [load]);
  return { state, setState, reload };
}
