import { useEffect, useRef, type RefObject } from 'react';

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
