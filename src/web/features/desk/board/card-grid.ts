/** The cards of the board as columns of numbers. */
export type CardGrid = readonly (readonly number[])[];

export type Arrow = 'ArrowUp' | 'ArrowDown' | 'ArrowLeft' | 'ArrowRight';

export function arrowOf(key: string): Arrow | undefined {
  return key === 'ArrowUp' || key === 'ArrowDown' || key === 'ArrowLeft' || key === 'ArrowRight' ? key : undefined;
}

/** The card beside, above or below; empty columns are stepped over, the ends hold. */
export function cardAt(grid: CardGrid, id: number, arrow: Arrow): number | undefined {
  const column = grid.findIndex((cards) => cards.includes(id));
  const row = grid[column]?.indexOf(id) ?? -1;
  if (row === -1) return undefined;
  if (arrow === 'ArrowUp' || arrow === 'ArrowDown') return grid[column]?.[row + (arrow === 'ArrowDown' ? 1 : -1)];
  const beyond = arrow === 'ArrowRight' ? grid.slice(column + 1) : grid.slice(0, column).toReversed();
  const cards = beyond.find(({ length }) => length > 0);
  return cards?.[Math.min(row, cards.length - 1)];
}
