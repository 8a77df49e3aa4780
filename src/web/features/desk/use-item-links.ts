import { useCallback, useEffect, useRef, type RefCallback } from 'react';
import { findNextFocus, type FocusGrid } from './focus-grid.ts';

/** The links of rows or cards by id. The functions keep their identity. */
type ItemLinks = Readonly<{
  getLinkRef: (id: number) => RefCallback<HTMLAnchorElement>;
  /** Undefined for an unknown id. */
  link: (id: number | undefined) => HTMLAnchorElement | undefined;
  /** Id of the focused row. */
  focused: () => number | undefined;
}>;

/** Moves the focus of a removed row to a neighbour, or to the screen's title if no row is left. */
export function useItemLinks(grid: FocusGrid): ItemLinks {
  const links = useRef(new Map<number, HTMLAnchorElement>());
  const before = useRef(grid);
  const left = useRef<number>(undefined);
  useEffect(() => {
    if (left.current !== undefined && isFocusLost()) {
      const next = findNextFocus(before.current, left.current, (id) => links.current.has(id));
      (links.current.get(next ?? -1) ?? document.querySelector<HTMLElement>('h1'))?.focus();
    }
    left.current = undefined;
    before.current = grid;
  });
  const getLinkRef = useCallback(
    (id: number): RefCallback<HTMLAnchorElement> =>
      (link) => {
        if (link !== null) links.current.set(id, link);
        return () => {
          if (links.current.get(id) === link) links.current.delete(id);
          if (link !== null && hasFocus(link)) left.current = id;
        };
      },
    [],
  );
  const link = useCallback((id: number | undefined) => links.current.get(id ?? -1), []);
  const focused = useCallback(() => [...links.current].find(([, one]) => one === document.activeElement)?.[0], []);
  return { getLinkRef, link, focused };
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** True for the focus anywhere in the row or in a menu opened from it. */
function hasFocus(link: HTMLElement): boolean {
  const row = link.closest('li');
  return row !== null && (row.contains(document.activeElement) || row.querySelector('[aria-expanded=true]') !== null);
}
