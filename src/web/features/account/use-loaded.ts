import { useCallback, useEffect, useState } from 'react';
import { useBackend, type BackendClient } from '#web/backend/client.ts';

type Loaded<T> =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed' }>
  | Readonly<{ status: 'ready'; value: T }>;

/**
 * Loads a value and reloads it on demand; the old value stays meanwhile. `load` needs a stable identity.
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
