import { DESK_STATES, type DeskItem, type DeskState } from '#contract/desk.ts';
import { formatFilter, parseFilter } from '../desk-url.ts';
import { applyUpdate, removeItem, updateItems, type ListUpdate, type Rows } from '../listing.ts';

/** The loaded rows of each state. */
export type Board = Readonly<Partial<Record<DeskState, Rows>>>;

/** The columns of a filter: all, or those of its states. */
export function getColumns(search: string): readonly DeskState[] {
  return parseFilter(search).states ?? DESK_STATES;
}

/** Adds the column's state to the filter. */
export function formatColumnFilter(search: string, state: DeskState): string {
  return formatFilter({ ...parseFilter(search), states: [state] });
}

/** The state of the column that shows a contribution. */
export function findColumn(board: Board, id: number): DeskState | undefined {
  return DESK_STATES.find((state) => board[state]?.items.some((item) => item.id === id));
}

export function removeCard(board: Board, id: number): Board {
  const place = findColumn(board, id);
  const column = place && board[place];
  if (place === undefined || column === undefined) return board;
  return { ...board, [place]: adjustCount(removeItem(column, id), place, -1) };
}

/** Moves a card to the column of its state. */
export function placeCard(board: Board, item: DeskItem): Board {
  const before = findColumn(board, item.id);
  const others = before === item.state ? board : removeCard(board, item.id);
  const column = others[item.state];
  if (column === undefined) return others;
  if (before === item.state) return { ...board, [item.state]: updateItems(column, [item]) };
  // A column loaded after the other one may have the card already.
  const left = removeItem(column, item.id);
  const placed = { ...left, items: [item, ...left.items] };
  const isNew = before !== undefined && left.items.length === column.items.length;
  return { ...others, [item.state]: adjustCount(placed, item.state, isNew ? 1 : 0) };
}

/** Corrects the count until the next update brings the real one. */
function adjustCount(column: Rows, state: DeskState, change: -1 | 0 | 1): Rows {
  const before = column.counts[state];
  if (before === undefined) return column;
  return { ...column, counts: { ...column.counts, [state]: Math.max(0, before + change) } };
}

/** Moves cards that another administrator moved, removes erased ones, and only counts new ones. */
export function updateBoard(board: Board, { page, erasedIds }: ListUpdate): Board {
  const left = erasedIds.reduce(removeCard, board);
  const moved = page.items.filter(({ id, state, version }) => {
    const place = findColumn(left, id);
    const shown = place && left[place]?.items.find((item) => item.id === id);
    return shown !== undefined && place !== state && shown.version < version;
  });
  const after = moved.reduce(placeCard, left);
  const updated = DESK_STATES.flatMap((state) => {
    const column = after[state];
    const items = page.items.filter((item) => item.state === state);
    return column === undefined
      ? []
      : [[state, applyUpdate(column, { page: { ...page, items }, erasedIds: [] })] as const];
  });
  return Object.fromEntries(updated);
}
