import { DESK_STATES, type DeskItem, type DeskPage, type DeskState } from '#contract/desk.ts';
import { filterOf, searchOf } from '../desk-url.ts';
import { nextListing, NOTHING_YET, type Listing, type ListingEvent } from '../listing.ts';

/** One list a state. */
export type Board = Readonly<Record<DeskState, Listing>>;

export type BoardEvent =
  | Readonly<{ type: 'column'; state: DeskState; event: ListingEvent }>
  /** A contribution as it is now: in its column, wherever it was. */
  | Readonly<{ type: 'placed'; item: DeskItem }>
  /** Somebody erased it. */
  | Readonly<{ type: 'gone'; id: number }>
  /** The newest contributions of the filter `of`, in whatever state, and what is erased of the shown ones. */
  | Readonly<{ type: 'news'; page: DeskPage; gone: readonly number[]; of: string }>;

export const EMPTY_BOARD: Board = {
  new: NOTHING_YET,
  in_progress: NOTHING_YET,
  for_review: NOTHING_YET,
  published: NOTHING_YET,
  rejected: NOTHING_YET,
};

/** The columns that a filter shows: all, or those of its states. */
export function columnsOf(search: string): readonly DeskState[] {
  return filterOf(search).states ?? DESK_STATES;
}

/** The address of one column's rows. */
export function columnSearch(search: string, state: DeskState): string {
  return searchOf({ ...filterOf(search), states: [state] });
}

export function nextBoard(board: Board, event: BoardEvent): Board {
  switch (event.type) {
    case 'column':
      return { ...board, [event.state]: nextListing(board[event.state], event.event) };
    case 'placed':
      return placed(board, event.item);
    case 'gone':
      return without(board, event.id);
    default:
      return withNews(event.gone.reduce(without, board), event.page, event.of);
  }
}

/** The state of the column in which a contribution is shown. */
export function placeOf(board: Board, id: number): DeskState | undefined {
  return DESK_STATES.find((state) => {
    const column = board[state];
    return column.status === 'ready' && column.items.some((item) => item.id === id);
  });
}

function without(board: Board, id: number): Board {
  const place = placeOf(board, id);
  if (place === undefined) return board;
  return { ...board, [place]: counted(nextListing(board[place], { type: 'gone', id }), place, -1) };
}

function placed(board: Board, item: DeskItem): Board {
  const before = placeOf(board, item.id);
  if (before === item.state) {
    return nextBoard(board, { type: 'column', state: before, event: { type: 'changed', item } });
  }
  const others = without(board, item.id);
  const column = others[item.state];
  if (column.status !== 'ready') return others;
  return {
    ...others,
    [item.state]: counted({ ...column, items: [item, ...column.items] }, item.state, before === undefined ? 0 : 1),
  };
}

/** Until the next look counts anew. */
function counted(column: Listing, state: DeskState, change: -1 | 0 | 1): Listing {
  const before = column.status === 'ready' ? column.counts[state] : undefined;
  if (column.status !== 'ready' || before === undefined) return column;
  return { ...column, counts: { ...column.counts, [state]: Math.max(0, before + change) } };
}

/** Cards that somebody else moved go where they are now; new ones are only counted. */
function withNews(board: Board, page: DeskPage, of: string): Board {
  const moved = page.items.filter(({ id, state, version }) => {
    const there = placeOf(board, id);
    return there !== undefined && there !== state && versionOf(board[there], id) < version;
  });
  const after = moved.reduce(placed, board);
  return columnsOf(of).reduce<Board>((news, state) => {
    const items = page.items.filter((item) => item.state === state);
    const event: ListingEvent = { type: 'news', of: columnSearch(of, state), page: { ...page, items }, gone: [] };
    return nextBoard(news, { type: 'column', state, event });
  }, after);
}

function versionOf(column: Listing, id: number): number {
  return column.status === 'ready' ? (column.items.find((item) => item.id === id)?.version ?? 0) : 0;
}
