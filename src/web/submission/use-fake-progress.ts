import { useEffect, useState } from 'react';
import { FAKE_PROGRESS_CAP, FAKE_PROGRESS_STEP_MAX, FAKE_PROGRESS_STEP_MS } from '#contract/limits.ts';

/** §4, D18: random steps that stop at 90, for phases in which nothing can be counted. 0 while not `active`. */
export function useFakeProgress(active: boolean): number {
  const [percent, setPercent] = useState(0);
  useEffect(() => {
    if (!active) return undefined;
    const step = () => setPercent((now) => Math.min(FAKE_PROGRESS_CAP, now + Math.random() * FAKE_PROGRESS_STEP_MAX));
    const timer = setInterval(step, FAKE_PROGRESS_STEP_MS);
    return () => {
      clearInterval(timer);
      setPercent(0);
    };
  }, [active]);
  return active ? percent : 0;
}
