import { useCallback, useEffect, useRef, type RefCallback } from 'react';
import { isFocusLost } from '#web/ui/use-focus.ts';

/**
 * The links of rows or cards by id. Moves the focus of a removed row to a neighbour, or to the screen's title if no row
 * is left. The functions keep their identity.
 */
export function useItemLinks(grid: FocusGrid) {
  const links = useRef(new Map<number, HTMLAnchorElement>());
  const before = useRef(grid);
  const left = useRef<number | 'more'>(undefined);
  useEffect(() => {
    if (left.current !== undefined && isFocusLost()) {
      const next =
        left.current === 'more'
          ? findFirstNew(before.current, grid)
          : findNextFocus(before.current, left.current, (id) => links.current.has(id));
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
  /** The id of the row that has the focus. */
  const focused = useCallback(() => [...links.current].find(([, one]) => one === document.activeElement)?.[0], []);
  /** Ref of the button that loads more rows: it may go when they come, and the first of them gets its focus. */
  const moreButton = useCallback(
    (button: HTMLButtonElement | null) => () => {
      if (button !== null && document.activeElement === button) left.current = 'more';
    },
    [],
  );
  return { getLinkRef, link, focused, moreButton };
}

/** True for the focus anywhere in the row or in a menu opened from it. */
export function hasFocus(link: HTMLElement): boolean {
  const row = link.closest('li');
  return row !== null && (row.contains(document.activeElement) || row.querySelector('[aria-expanded=true]') !== null);
}

function findFirstNew(before: FocusGrid, now: FocusGrid): number | undefined {
  const there = new Set(before.flat());
  return now.flat().find((id) => !there.has(id));
}

/** Ids of rows or cards by column. */
export type FocusGrid = readonly (readonly number[])[];

type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

export function parseArrow(key: string): Arrow | undefined {
  return key === 'ArrowUp' || key === 'ArrowDown' || key === 'ArrowLeft' || key === 'ArrowRight' ? key : undefined;
}

/** Finds the card in a direction; skips empty columns and stops at the ends. */
export function findCardBeside(grid: FocusGrid, id: number, arrow: Arrow): number | undefined {
  const column = grid.findIndex((cards) => cards.includes(id));
  const row = grid[column]?.indexOf(id) ?? -1;
  if (row === -1) return undefined;
  if (arrow === 'ArrowUp' || arrow === 'ArrowDown') return grid[column]?.[row + (arrow === 'ArrowDown' ? 1 : -1)];
  const beyond = arrow === 'ArrowRight' ? grid.slice(column + 1) : grid.slice(0, column).toReversed();
  const cards = beyond.find(({ length }) => length > 0);
  return cards?.[Math.min(row, cards.length - 1)];
}

/**
 * Finds the next focus after a card has left its place: the card itself in its new place, else the next one below,
 * above or in a column beside. `before`: the grid until now.
 */
export function findNextFocus(before: FocusGrid, id: number, there: (id: number) => boolean): number | undefined {
  if (there(id)) return id;
  const column = before.findIndex((cards) => cards.includes(id));
  const cards = before[column] ?? [];
  const row = cards.indexOf(id);
  const beside = [...before.slice(column + 1), ...before.slice(0, Math.max(0, column)).toReversed()].flat();
  return [...cards.slice(row + 1), ...cards.slice(0, Math.max(0, row)).toReversed(), ...beside].find(there);
}
