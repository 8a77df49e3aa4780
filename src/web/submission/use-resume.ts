import { useEffect, useRef } from 'react';
import type { BackendStatusHandle } from './use-backend-status.ts';

/** While the backend answers and the work stops all the same, it is tried so often, later each time. */
const MOST_TRIES = 5;
const PAUSE_MS = 3_000;

export type Resumed = Pick<BackendStatusHandle, 'status' | 'check'> &
  Readonly<{
    /** Work has stopped because no answer came, and the screen still has all of it. */
    stopped: boolean;
    resume: () => void;
  }>;

/**
 * Goes on by itself as soon as the backend answers again: nobody stands in a workshop and presses 'Erneut versuchen'.
 */
export function useResume({ stopped, status, check, resume }: Resumed): void {
  const latest = useRef(resume);
  const tries = useRef(0);
  useEffect(() => {
    latest.current = resume;
  });
  useEffect(() => {
    if (status !== 'ready') tries.current = 0;
  }, [status]);
  useEffect(() => {
    if (!stopped || status === 'unavailable' || tries.current >= MOST_TRIES) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const look = async (): Promise<void> => {
      if ((await check()) !== 'ready' || left) return;
      timer = setTimeout(() => {
        tries.current += 1;
        latest.current();
      }, PAUSE_MS * tries.current);
    };
    void look();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [stopped, status, check]);
}
