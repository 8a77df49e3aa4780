import { useRef, useState } from 'react';
import { useBackend, type BackendClient } from '#web/backend/client.ts';
import type { AccountFault, Deed } from '#web/backend/own-account.ts';

type DeedState = Readonly<{ busy: boolean; fault?: AccountFault | undefined }>;

/** One thing at a time: a second call meanwhile is ignored. `run` answers the value, or undefined after saying why not in `fault`. */
export function useDeed() {
  const backend = useBackend();
  const running = useRef(false);
  const [state, setState] = useState<DeedState>({ busy: false });
  const run = async <T>(deed: (backend: BackendClient) => Promise<Deed<T>>): Promise<Deed<T> | undefined> => {
    if (running.current) return undefined;
    running.current = true;
    setState({ busy: true });
    const result = await deed(backend).catch((): Deed<T> => ({ ok: false, fault: 'failed' }));
    running.current = false;
    setState({ busy: false, fault: result.ok ? undefined : result.fault });
    return result.ok ? result : undefined;
  };
  return { ...state, run };
}
