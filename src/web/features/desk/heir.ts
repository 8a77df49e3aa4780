import type { CardGrid } from './board/card-grid.ts';

/**
 * Who gets the focus of a row or card that is not where it was: itself where it stands elsewhere now, else the next one
 * below, above, or in a column beside. `before`: how they stood; `there`: whether one is shown now.
 */
export function heirOf(before: CardGrid, id: number, there: (id: number) => boolean): number | undefined {
  if (there(id)) return id;
  const column = before.findIndex((cards) => cards.includes(id));
  const cards = before[column] ?? [];
  const row = cards.indexOf(id);
  const beside = [...before.slice(column + 1), ...before.slice(0, Math.max(0, column)).toReversed()].flat();
  return [...cards.slice(row + 1), ...cards.slice(0, Math.max(0, row)).toReversed(), ...beside].find(there);
}
