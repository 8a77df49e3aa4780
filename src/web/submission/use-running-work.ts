import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { keepActive } from '#web/backend/activity.ts';

/**
 * While something runs that leaving would destroy, the browser asks before it lets go of the page, and it counts as
 * activity (D17).
 */
export function useRunningWork(running: boolean): void {
  useEffect(() => {
    if (!running) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    const release = keepActive();
    return () => {
      window.removeEventListener('beforeunload', warn);
      release();
    };
  }, [running]);
}

/** The browser asks before it lets go of the page, because a step is not finished. Unlike work, it is no activity. */
export function useLeaveWarning(unfinished: boolean): void {
  useEffect(() => {
    if (!unfinished) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [unfinished]);
}

/** Whether the screen is still shown: work that outlives it must not send the user elsewhere. */
export function useShown(): Readonly<RefObject<boolean>> {
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  return shown;
}

/** Calls once after `ms`, unless the screen is left before. */
export function useDelayed(): (call: () => void, ms: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const shown = useShown();
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (call, ms) => {
      clearTimeout(timer.current);
      if (shown.current) timer.current = setTimeout(call, ms);
    },
    [shown],
  );
}
