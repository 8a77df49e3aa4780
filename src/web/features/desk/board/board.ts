import { DESK_STATES, type DeskItem, type DeskState } from '#contract/desk.ts';
import { formatFilter, parseFilter } from '../desk-url.ts';
import { applyUpdate, removeItem, updateItems, type ListUpdate, type Rows } from '../listing.ts';

export type Board = Readonly<Partial<Record<DeskState, Rows>>>;

/** The columns of a filter: all, or those of its states. */
export function getColumns(search: string): readonly DeskState[] {
  return parseFilter(search).states ?? DESK_STATES;
}

/** Adds the column's state to the filter. */
export function formatColumnFilter(search: string, state: DeskState): string {
  return formatFilter({ ...parseFilter(search), states: [state] });
}

/** The state of the first column that shows a contribution. */
export function findColumn(board: Board, id: number): DeskState | undefined {
  return findColumns(board, id)[0];
}

/** More than one where columns were loaded before and after a card was moved. */
function findColumns(board: Board, id: number): readonly DeskState[] {
  return DESK_STATES.filter((state) => board[state]?.items.some((item) => item.id === id));
}

/** Removes a card from every column, or from every one but that of `except`. */
export function removeCard(board: Board, id: number, except?: DeskState): Board {
  const left = findColumns(board, id).flatMap((state) => {
    const column = state === except ? undefined : board[state];
    return column === undefined ? [] : [[state, adjustCount(removeItem(column, id), state, -1)] as const];
  });
  return left.length === 0 ? board : { ...board, ...Object.fromEntries(left) };
}

/** Moves a card to the column of its state. */
export function placeCard(board: Board, item: DeskItem): Board {
  const before = findColumns(board, item.id);
  const others = removeCard(board, item.id, item.state);
  const column = others[item.state];
  if (column === undefined) return others;
  if (before.includes(item.state)) return { ...others, [item.state]: updateItems(column, [item]) };
  const placed = { ...column, items: [item, ...column.items] };
  return { ...others, [item.state]: adjustCount(placed, item.state, before.length > 0 ? 1 : 0) };
}

/** Corrects the count until the next update brings the real one. */
function adjustCount(column: Rows, state: DeskState, change: -1 | 0 | 1): Rows {
  const before = column.counts[state];
  if (before === undefined) return column;
  return { ...column, counts: { ...column.counts, [state]: Math.max(0, before + change) } };
}

/** Whether an older version of the card is shown in another column. */
function isMoved(board: Board, { id, state, version }: DeskItem): boolean {
  return findColumns(board, id).some(
    (place) => place !== state && board[place]?.items.some((item) => item.id === id && item.version < version),
  );
}

/**
 * Moves cards that another administrator moved, removes those that are erased or no longer fit the filter, and only
 * counts new ones.
 */
export function updateBoard(board: Board, { page, changed, erasedIds }: ListUpdate): Board {
  const left = erasedIds.reduce((rest, id) => removeCard(rest, id), board);
  // The newest change last: it ends up on top of its column.
  const known = [...page.items, ...changed.toReversed()];
  const moved = known.filter(
    (item) => isMoved(left, item) && !known.some((other) => other.id === item.id && other.version > item.version),
  );
  const after = moved.reduce(placeCard, left);
  const updated = DESK_STATES.flatMap((state) => {
    const column = after[state];
    const items = page.items.filter((item) => item.state === state);
    return column === undefined
      ? []
      : [[state, applyUpdate(column, { page: { ...page, items }, changed, erasedIds: [] })] as const];
  });
  return Object.fromEntries(updated);
}
