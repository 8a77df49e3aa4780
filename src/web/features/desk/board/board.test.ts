import { describe, expect, it } from 'vitest';
import type { DeskItem, DeskState } from '#contract/desk.ts';
import { deskItem, deskPage } from '../testing/desk-items.ts';
import {
  EMPTY_BOARD,
  findColumn,
  formatColumnFilter,
  getColumns,
  reduceBoard,
  type Board,
  type BoardEvent,
} from './board.ts';

const item = (id: number, state: DeskState, version = 1): DeskItem => deskItem({ id, state, version });
const filled = (state: DeskState, ...items: readonly DeskItem[]): BoardEvent => ({
  type: 'column',
  state,
  event: {
    type: 'page',
    search: formatColumnFilter('', state),
    page: deskPage(items, { counts: { new: 2, in_progress: 1 } }),
  },
});
const BOARD = [
  filled('new', item(4, 'new'), item(3, 'new')),
  filled('in_progress', item(2, 'in_progress')),
  filled('published'),
].reduce(reduceBoard, EMPTY_BOARD);

const shown = (board: Board, state: DeskState): readonly number[] => {
  const column = board[state];
  return column.status === 'ready' ? column.items.map(({ id }) => id) : [];
};
const count = (board: Board, state: DeskState) => {
  const column = board[state];
  return column.status === 'ready' ? column.counts[state] : undefined;
};

describe('Desk: board', () => {
  it('Has one column a state, or those of the filter', () => {
    expect(getColumns('')).toHaveLength(5);
    expect(getColumns('?status=neu,abgelehnt')).toEqual(['new', 'rejected']);
    expect(formatColumnFilter('?art=video&status=neu,abgelehnt', 'rejected')).toBe('?art=video&status=abgelehnt');
  });

  it('Puts a moved card on top of its new column and counts it there', () => {
    const board = reduceBoard(BOARD, { type: 'placed', item: item(3, 'in_progress', 2) });
    expect([shown(board, 'new'), shown(board, 'in_progress')]).toEqual([[4], [3, 2]]);
    expect([count(board, 'new'), count(board, 'in_progress')]).toEqual([1, 2]);
    expect(findColumn(board, 3)).toBe('in_progress');
  });

  it('Updates a card in place when its column is the same', () => {
    const changed = deskItem({ id: 3, version: 2, assigneeEmail: 'b@haus.example' });
    const board = reduceBoard(BOARD, { type: 'placed', item: changed });
    expect(shown(board, 'new')).toEqual([4, 3]);
    expect(board.new).toMatchObject({ items: [{}, { assigneeEmail: 'b@haus.example' }] });
  });

  it('Adds nothing to a column that is still loading', () => {
    const board = reduceBoard(BOARD, { type: 'placed', item: item(3, 'rejected', 2) });
    expect(shown(board, 'new')).toEqual([4]);
    expect(board.rejected).toEqual({ status: 'loading' });
  });

  it('Removes an erased card and its count, and ignores unknown ids', () => {
    const board = reduceBoard(BOARD, { type: 'erased', id: 3 });
    expect([shown(board, 'new'), count(board, 'new')]).toEqual([[4], 1]);
    expect(reduceBoard(BOARD, { type: 'erased', id: 99 })).toBe(BOARD);
  });

  it('Removes cards erased elsewhere and takes the new counts', () => {
    const page = deskPage([item(4, 'new')], { counts: { new: 1, in_progress: 0 } });
    const board = reduceBoard(BOARD, { type: 'update', search: '', page, erasedIds: [3, 2] });
    expect([shown(board, 'new'), shown(board, 'in_progress')]).toEqual([[4], []]);
    expect([count(board, 'new'), count(board, 'in_progress')]).toEqual([1, 0]);
  });

  it('Moves cards that another administrator moved and only counts new ones', () => {
    const page = deskPage([item(5, 'new'), item(4, 'published', 2), item(2, 'new', 0)], { counts: { new: 3 } });
    const board = reduceBoard(BOARD, { type: 'update', search: '', page, erasedIds: [] });
    expect([shown(board, 'new'), shown(board, 'in_progress'), shown(board, 'published')]).toEqual([[3], [2], [4]]);
    expect(board.new).toMatchObject({ newCount: 1, counts: { new: 3 } });
    expect(board.published).toMatchObject({ newCount: 0 });
  });
});
