import { useEffect } from 'react';
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
