import { useCallback, useEffect, useRef } from 'react';
import { useShown } from './use-shown.ts';

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
