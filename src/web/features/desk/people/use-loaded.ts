import { useCallback, useEffect, useState } from 'react';
import { deskProblemOf, type DeskProblem } from '#web/backend/desk-error.ts';

export type Loaded<T> =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | Readonly<{ status: 'ready'; value: T }>;

/** What `load` gives, and again on demand; what is shown stays meanwhile. `load` must be the same function each time. */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
): Readonly<{ state: Loaded<T>; again: () => void }> {
  const [state, setState] = useState<Loaded<T>>({ status: 'loading' });
  const [wish, setWish] = useState({ load });
  if (wish.load !== load) setWish({ load });
  useEffect(() => {
    const superseded = new AbortController();
    wish.load(superseded.signal).then(
      (value) => (superseded.signal.aborted ? undefined : setState({ status: 'ready', value })),
      (error: unknown) =>
        superseded.signal.aborted ? undefined : setState({ status: 'failed', problem: deskProblemOf(error) }),
    );
    return () => superseded.abort();
  }, [wish]);
  const again = useCallback(() => setWish({ load }), [load]);
  return { state, again };
}
