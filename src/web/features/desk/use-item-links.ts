import { useCallback, useEffect, useRef, type RefCallback } from 'react';
import { findNextFocus, type FocusGrid } from './focus-grid.ts';

/** The links of rows or cards by their numbers. The functions stay the same. */
type ItemLinks = Readonly<{
  getLinkRef: (id: number) => RefCallback<HTMLAnchorElement>;
  /** Nothing where there is no such row. */
  link: (id: number | undefined) => HTMLAnchorElement | undefined;
  /** The row whose link has the focus. */
  focused: () => number | undefined;
}>;

/** Where a row that has the focus goes, its neighbour gets it; where none is left, the screen's title. */
export function useItemLinks(grid: FocusGrid): ItemLinks {
  const links = useRef(new Map<number, HTMLAnchorElement>());
  const before = useRef(grid);
  const left = useRef<number>(undefined);
  useEffect(() => {
    if (left.current !== undefined && isFocusLost()) {
      const heir = findNextFocus(before.current, left.current, (id) => links.current.has(id));
      (links.current.get(heir ?? -1) ?? document.querySelector<HTMLElement>('h1'))?.focus();
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

/** In its row, or in a menu that was opened there. */
function hasFocus(link: HTMLElement): boolean {
  const row = link.closest('li');
  return row !== null && (row.contains(document.activeElement) || row.querySelector('[aria-expanded=true]') !== null);
}
