import { DESK_STATES, type DeskItem, type DeskPage, type DeskState } from '#contract/desk.ts';
import { formatFilter, parseFilter } from '../desk-url.ts';
import { LOADING_LISTING, reduceListing, type Listing, type ListingEvent } from '../listing.ts';

/** One listing a state. */
export type Board = Readonly<Record<DeskState, Listing>>;

export type BoardEvent =
  | Readonly<{ type: 'column'; state: DeskState; event: ListingEvent }>
  /** Moves a contribution to the column of its state. */
  | Readonly<{ type: 'placed'; item: DeskItem }>
  /** Another administrator erased it. */
  | Readonly<{ type: 'erased'; id: number }>
  /** The newest contributions of the filter `search` in every state, and which shown ones are erased. */
  | Readonly<{ type: 'update'; page: DeskPage; erasedIds: readonly number[]; search: string }>;

export const EMPTY_BOARD: Board = {
  new: LOADING_LISTING,
  in_progress: LOADING_LISTING,
  for_review: LOADING_LISTING,
  published: LOADING_LISTING,
  rejected: LOADING_LISTING,
};

/** The columns of a filter: all, or those of its states. */
export function getColumns(search: string): readonly DeskState[] {
  return parseFilter(search).states ?? DESK_STATES;
}

/** Adds the column's state to the filter. */
export function formatColumnFilter(search: string, state: DeskState): string {
  return formatFilter({ ...parseFilter(search), states: [state] });
}

export function reduceBoard(board: Board, event: BoardEvent): Board {
  switch (event.type) {
    case 'column':
      return { ...board, [event.state]: reduceListing(board[event.state], event.event) };
    case 'placed':
      return placeItem(board, event.item);
    case 'erased':
      return removeItem(board, event.id);
    default:
      return applyUpdate(event.erasedIds.reduce(removeItem, board), event.page, event.search);
  }
}

/** The state of the column that shows a contribution. */
export function findColumn(board: Board, id: number): DeskState | undefined {
  return DESK_STATES.find((state) => {
    const column = board[state];
    return column.status === 'ready' && column.items.some((item) => item.id === id);
  });
}

function removeItem(board: Board, id: number): Board {
  const place = findColumn(board, id);
  if (place === undefined) return board;
  return { ...board, [place]: adjustCount(reduceListing(board[place], { type: 'erased', id }), place, -1) };
}

function placeItem(board: Board, item: DeskItem): Board {
  const before = findColumn(board, item.id);
  if (before === item.state) {
    return reduceBoard(board, { type: 'column', state: before, event: { type: 'changed', item } });
  }
  const others = removeItem(board, item.id);
  const column = others[item.state];
  if (column.status !== 'ready') return others;
  return {
    ...others,
    [item.state]: adjustCount({ ...column, items: [item, ...column.items] }, item.state, before === undefined ? 0 : 1),
  };
}

/** Corrects the count until the next update brings the real one. */
function adjustCount(column: Listing, state: DeskState, change: -1 | 0 | 1): Listing {
  const before = column.status === 'ready' ? column.counts[state] : undefined;
  if (column.status !== 'ready' || before === undefined) return column;
  return { ...column, counts: { ...column.counts, [state]: Math.max(0, before + change) } };
}

/** Moves cards that another administrator moved, and only counts new ones. */
function applyUpdate(board: Board, page: DeskPage, search: string): Board {
  const moved = page.items.filter(({ id, state, version }) => {
    const there = findColumn(board, id);
    return there !== undefined && there !== state && getVersion(board[there], id) < version;
  });
  const after = moved.reduce(placeItem, board);
  return getColumns(search).reduce<Board>((updated, state) => {
    const items = page.items.filter((item) => item.state === state);
    const event: ListingEvent = {
      type: 'update',
      search: formatColumnFilter(search, state),
      page: { ...page, items },
      erasedIds: [],
    };
    return reduceBoard(updated, { type: 'column', state, event });
  }, after);
}

function getVersion(column: Listing, id: number): number {
  return column.status === 'ready' ? (column.items.find((item) => item.id === id)?.version ?? 0) : 0;
}
