import { describe, expect, it } from 'vitest';
import type { DeskItem, DeskState } from '#contract/desk.ts';
import { toRows, type ListUpdate } from '../listing.ts';
import { deskItem, deskPage } from '#tests/support/web/desk-items.ts';
import { findColumn, formatColumnFilter, getColumns, placeCard, removeCard, updateBoard, type Board } from './board.ts';

const item = (id: number, state: DeskState, version = 1): DeskItem => deskItem({ id, state, version });
const fill = (state: DeskState, ...items: readonly DeskItem[]) =>
  toRows(deskPage(items, { counts: { new: 2, in_progress: 1 } }), formatColumnFilter('', state));
const BOARD: Board = {
  new: fill('new', item(4, 'new'), item(3, 'new')),
  in_progress: fill('in_progress', item(2, 'in_progress')),
  published: fill('published'),
};
const update = (page: ListUpdate['page'], erasedIds: readonly number[] = []) =>
  updateBoard(BOARD, { page, changed: [], erasedIds });

const shown = (board: Board, state: DeskState) => board[state]?.items.map(({ id }) => id) ?? [];
const count = (board: Board, state: DeskState) => board[state]?.counts[state];

describe('Desk: board', () => {
  it('Has one column a state, or those of the filter', () => {
    expect(getColumns('')).toHaveLength(5);
    expect(getColumns('?status=neu,abgelehnt')).toEqual(['new', 'rejected']);
    expect(formatColumnFilter('?art=video&status=neu,abgelehnt', 'rejected')).toBe('?art=video&status=abgelehnt');
  });

  it('Puts a moved card on top of its new column and counts it there', () => {
    const board = placeCard(BOARD, item(3, 'in_progress', 2));
    expect([shown(board, 'new'), shown(board, 'in_progress')]).toEqual([[4], [3, 2]]);
    expect([count(board, 'new'), count(board, 'in_progress')]).toEqual([1, 2]);
    expect(findColumn(board, 3)).toBe('in_progress');
  });

  it('Shows a card once that its new column has already', () => {
    const moved = item(4, 'in_progress', 2);
    const twice = { new: fill('new', item(4, 'new')), in_progress: fill('in_progress', moved, item(2, 'in_progress')) };
    const board = updateBoard(twice, { page: deskPage([moved], { counts: {} }), changed: [], erasedIds: [] });
    expect([shown(board, 'new'), shown(board, 'in_progress')]).toEqual([[], [4, 2]]);
    expect(count(placeCard(twice, moved), 'in_progress')).toBe(1);
  });

  it.each([
    [
      'an earlier',
      { new: fill('new', item(4, 'new', 3)), in_progress: fill('in_progress', item(4, 'in_progress', 2)) },
    ],
    ['a later', { new: fill('new', item(4, 'new', 2)), in_progress: fill('in_progress', item(4, 'in_progress', 3)) }],
  ])('Shows a card once that %s column has in its new state', (_name, twice: Board) => {
    const newest = [twice.new, twice.in_progress]
      .flatMap((rows) => rows?.items ?? [])
      .find((card) => card.version === 3);
    const board = updateBoard(twice, {
      page: deskPage(newest === undefined ? [] : [newest], { counts: {} }),
      changed: [],
      erasedIds: [],
    });
    expect([...shown(board, 'new'), ...shown(board, 'in_progress')]).toEqual([4]);
    expect(findColumn(board, 4)).toBe(newest?.state);
  });

  it('Updates a card in place when its column is the same', () => {
    const changed = deskItem({ id: 3, version: 2, assigneeEmail: 'b@haus.example' });
    const board = placeCard(BOARD, changed);
    expect(shown(board, 'new')).toEqual([4, 3]);
    expect(board.new).toMatchObject({ items: [{}, { assigneeEmail: 'b@haus.example' }] });
  });

  it('Adds nothing to a column that is still loading', () => {
    const board = placeCard(BOARD, item(3, 'rejected', 2));
    expect(shown(board, 'new')).toEqual([4]);
    expect(board.rejected).toBeUndefined();
  });

  it('Removes an erased card and its count, and ignores unknown ids', () => {
    const board = removeCard(BOARD, 3);
    expect([shown(board, 'new'), count(board, 'new')]).toEqual([[4], 1]);
    expect(removeCard(BOARD, 99)).toBe(BOARD);
  });

  it('Removes cards erased elsewhere and takes the new counts', () => {
    const page = deskPage([item(4, 'new')], { counts: { new: 1, in_progress: 0 } });
    const board = update(page, [3, 2]);
    expect([shown(board, 'new'), shown(board, 'in_progress')]).toEqual([[4], []]);
    expect([count(board, 'new'), count(board, 'in_progress')]).toEqual([1, 0]);
  });

  it('Moves cards that another administrator moved and only counts new ones', () => {
    const page = deskPage([item(5, 'new'), item(4, 'published', 2), item(2, 'new', 0)], { counts: { new: 3 } });
    const board = update(page);
    expect([shown(board, 'new'), shown(board, 'in_progress'), shown(board, 'published')]).toEqual([[3], [2], [4]]);
    expect(board.new).toMatchObject({ newCount: 1, counts: { new: 3 } });
    expect(board.published).toMatchObject({ newCount: 0 });
  });

  it('Moves cards that are not among the newest, the last change on top', () => {
    const page = deskPage([item(99, 'new')], { counts: { new: 1, published: 2 } });
    const changed = [item(3, 'published', 2), item(50, 'published', 4), item(4, 'published', 2)];
    const board = updateBoard(BOARD, { page, changed, erasedIds: [] });
    expect([shown(board, 'new'), shown(board, 'published')]).toEqual([[], [3, 4]]);
    expect(count(board, 'published')).toBe(2);
  });

  it('Takes the newer one of two answers about a card', () => {
    const page = deskPage([item(4, 'published', 3)], { counts: {} });
    const board = updateBoard(BOARD, { page, changed: [item(4, 'in_progress', 2)], erasedIds: [] });
    expect(findColumn(board, 4)).toBe('published');
  });

  it('Removes a card that fits the filter no more', () => {
    const mine = toRows(deskPage([item(4, 'new')]), formatColumnFilter('?bearbeitung=niemand', 'new'));
    const changed = [deskItem({ id: 4, version: 2, assignee: 'x' })];
    const board = updateBoard({ new: mine }, { page: deskPage([], { counts: {} }), changed, erasedIds: [] });
    expect(shown(board, 'new')).toEqual([]);
  });
});
