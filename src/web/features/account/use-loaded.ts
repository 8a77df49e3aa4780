import { useCallback, useEffect, useState } from 'react';
import { useBackend, type BackendClient } from '#web/backend/client.ts';

type Loaded<T> =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed' }>
  | Readonly<{ status: 'ready'; value: T }>;

/**
 * What `load` finds, and the way to look again. What was found stays shown meanwhile. `load` must be the same function
 * each time.
 */
export function useLoaded<T>(load: (backend: BackendClient) => Promise<T>) {
  const backend = useBackend();
  const [state, setState] = useState<Loaded<T>>({ status: 'loading' });
  const reload = useCallback(() => {
    load(backend).then(
      (value) => setState({ status: 'ready', value }),
      () => setState({ status: 'failed' }),
    );
  }, [backend, load]);
  useEffect(reload, [reload]);
  return { state, reload } as const;
}
