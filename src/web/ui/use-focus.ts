import { useEffect, useRef, type RefObject } from 'react';

/** An action took its own control away or disabled it; browsers then begin again at the top of the page. */
export function isFocusLost(): boolean {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.matches(':disabled');
}

/** Takes the focus on to `target` where a change of `state` has taken it from where it was (WCAG 2.4.3). */
export function useFocusAfter(state: string | number | boolean, target: RefObject<HTMLElement | null>): void {
  const before = useRef(state);
  useEffect(() => {
    if (before.current === state) return;
    before.current = state;
    if (isFocusLost()) target.current?.focus();
  }, [state, target]);
}

/** The same for what appears in place of the control that was pressed; it may leave the page where it stands. */
export function useFocusOnArrival<T extends HTMLElement>(preventScroll = false): RefObject<T | null> {
  const target = useRef<T>(null);
  useEffect(() => {
    if (isFocusLost()) target.current?.focus({ preventScroll });
  }, [preventScroll]);
  return target;
}
