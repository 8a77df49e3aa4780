import { type RefCallback, type RefObject, useCallback } from 'react';
import { isFocusLost } from './use-focus.ts';

/**
 * For a control that its own action removes: if it had the focus, `target` gets it (WCAG 2.4.3). Unlike useFocusAfter
 * it leaves the focus alone when the page changes by itself, as when data load or a colleague saves.
 */
export function useFocusHandover(target: RefObject<HTMLElement | null>): RefCallback<HTMLElement> {
  return useCallback(
    (control) => () => {
      if (document.activeElement !== control) return;
      // The target may be rendered by the same change.
      queueMicrotask(() => {
        if (isFocusLost()) target.current?.focus();
      });
    },
    [target],
  );
}
