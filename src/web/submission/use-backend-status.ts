import { useCallback, useEffect, useReducer, useRef } from 'react';
import { useBackendLoader } from '#web/backend/client.ts';
import { INITIAL_STATUS, probeByLoader, reduceStatus, getStatus, type BackendStatus } from '#web/backend/status.ts';
import { afterPaint } from '#web/ui/after-load.ts';

/**
 * An outage shows within 5 s of its first failed call, and its end within 10 s; while all is well, one probe in 30 s is
 * enough.
 */
const PROBE_WHEN_READY_MS = 30_000;
const PROBE_WHEN_NOT_MS = 5_000;

/** §4 'Backend status', kept up to date while the screen is shown. */
export function useBackendStatus() {
  const loadBackend = useBackendLoader();
  const [state, dispatch] = useReducer(reduceStatus, INITIAL_STATUS);
  const running = useRef<Promise<BackendStatus> | undefined>(undefined);
  /** Probes now; to be called when a call has failed, or when a status is needed before the first probe answered. */
  const check = useCallback(() => {
    if (running.current !== undefined) return running.current;
    const probing = probeByLoader(loadBackend).then((probe) => {
      // One that was begun before the connection was lost says nothing about now.
      if (running.current === probing) dispatch({ type: 'probed', probe });
      if (running.current === probing) running.current = undefined;
      return getStatus(probe);
    });
    return (running.current = probing);
  }, [loadBackend]);

  useEffect(() => {
    const probe = () => void check();
    const disconnect = () => {
      running.current = undefined;
      dispatch({ type: 'disconnected' });
    };
    window.addEventListener('online', probe);
    window.addEventListener('offline', disconnect);
    return () => {
      window.removeEventListener('online', probe);
      window.removeEventListener('offline', disconnect);
    };
  }, [check]);

  useEffect(() => {
    // The first screen comes before it.
    if (state.status === 'checking') void afterPaint().then(check);
    const interval = state.status === 'ready' ? PROBE_WHEN_READY_MS : PROBE_WHEN_NOT_MS;
    const timer = setInterval(() => document.visibilityState === 'visible' && void check(), interval);
    return () => clearInterval(timer);
  }, [state.status, check]);

  return { ...state, check };
}

export type BackendStatusHandle = ReturnType<typeof useBackendStatus>;
