import { type RefCallback, type RefObject, useCallback } from 'react';
import { isFocusLost } from './use-focus.ts';

/**
 * For a control that goes with what it did: where it had the focus, `target` gets it (WCAG 2.4.3). What somebody else
 * changes, or what loads, moves nobody's focus.
 */
export function useFocusHandover(target: RefObject<HTMLElement | null>): RefCallback<HTMLElement> {
  return useCallback(
    (control) => () => {
      if (document.activeElement !== control) return;
      // By then the target, which may come with the same change, is there.
      queueMicrotask(() => {
        if (isFocusLost()) target.current?.focus();
      });
    },
    [target],
  );
}
