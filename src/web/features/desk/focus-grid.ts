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
