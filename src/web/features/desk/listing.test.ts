import { describe, expect, it } from 'vitest';
import type { DeskItem } from '#contract/desk.ts';
import {
  appendPage,
  applyUpdate,
  isExhausted,
  removeItem,
  toDeskItem,
  toRows,
  updateItems,
  type Rows,
} from './listing.ts';
import { deskContribution, deskItem, deskPage } from '#tests/support/web/desk-items.ts';

const item = (id: number, facts: Partial<DeskItem> = {}) => deskItem({ id, ...facts });
const getRows = (search: string, ...items: readonly DeskItem[]) => toRows(deskPage(items, { next: 'c' }), search);
const ACCOUNT = '6f1ee0c4-0000-4000-8000-000000000001';
const shown = getRows('', item(3), item(2));
const ids = (rows: Rows) => rows.items.map(({ id }) => id);
const update = (rows: Rows, items: readonly DeskItem[], erasedIds: readonly number[] = []) =>
  applyUpdate(rows, { page: deskPage(items), changed: [], erasedIds });
const change = (search: string, before: DeskItem, after: DeskItem) =>
  ids(applyUpdate(getRows(search, before), { page: deskPage([]), changed: [after], erasedIds: [] }));

describe('Desk: paged list', () => {
  it('Begins with the first page and nothing new', () => {
    expect(shown).toMatchObject({ next: 'c', counts: { new: 2 }, search: '', newestId: 3, newCount: 0 });
  });

  it('Appends further rows without duplicates', () => {
    const more = appendPage(shown, deskPage([item(2), item(1)]));
    expect(ids(more)).toEqual([3, 2, 1]);
    expect(more.next).toBeNull();
  });

  it('Puts rows in front that moved there from a later page', () => {
    const more = appendPage(shown, deskPage([item(2), item(1)]), [item(7), item(3)]);
    expect(ids(more)).toEqual([7, 3, 2, 1]);
  });

  it('Updates and removes rows changed on this screen', () => {
    const changed = updateItems(shown, [item(2, { state: 'rejected', version: 2 })]);
    expect(changed).toMatchObject({ items: [{ state: 'new' }, { state: 'rejected' }] });
    expect(ids(removeItem(shown, 3))).toEqual([2]);
  });

  it('Loads by itself when every row was erased, unless that failed or there are no more', () => {
    const state = { status: 'ready', busy: 'no', problem: undefined } as const;
    expect(isExhausted({ ...state, ...getRows('') })).toBe(true);
    expect(isExhausted({ ...state, ...getRows(''), problem: 'unreachable' })).toBe(false);
    expect(isExhausted({ ...state, ...getRows(''), next: null })).toBe(false);
    expect(isExhausted({ ...state, ...shown })).toBe(false);
    expect(isExhausted({ status: 'loading' })).toBe(false);
  });

  it('Reduces a contribution to its row', () => {
    expect(toDeskItem(deskContribution())).toEqual(deskItem());
  });
});

describe('Desk: list updates', () => {
  it('Updates shown rows, never their order or number', () => {
    const rows = update(shown, [
      item(9),
      item(2, { state: 'published', version: 2, excerpt: 'anders' }),
      item(3, { state: 'rejected', version: 0 }),
    ]);
    expect(ids(rows)).toEqual([3, 2]);
    expect(rows).toMatchObject({
      items: [{ state: 'new' }, { state: 'published', excerpt: 'anders' }],
      counts: { new: 3 },
    });
  });

  it('Shows the text that came for a row, but leaves the place that a search found', () => {
    const written = item(2, { excerpt: 'Wir haben eine Pumpe.' });
    const excerpt = (search: string, page: readonly DeskItem[], changed: readonly DeskItem[]) =>
      applyUpdate(getRows(search, item(2, { excerpt: '' })), { page: deskPage(page), changed, erasedIds: [] }).items[0]
        ?.excerpt;
    expect(excerpt('?status=neu', [written], [])).toBe('Wir haben eine Pumpe.');
    expect(excerpt('?status=neu', [], [written])).toBe('Wir haben eine Pumpe.');
    expect(excerpt('?suche=pumpe', [], [written])).toBe('');
    const found = item(2, { excerpt: 'eine \u0001Pumpe\u0002' });
    expect(excerpt('?suche=pumpe', [found], [written])).toBe('eine \u0001Pumpe\u0002');
  });

  it.each([
    ['nothing new', [item(3), item(2)], 0],
    ['one that is newer', [item(4), item(3)], 1],
    ['two', [item(9), item(4), item(3)], 2],
    ['an older one that fits the filter now', [item(3), item(1)], 0],
  ])('Counts %s', (_name, items, newCount) => {
    expect(update(shown, items)).toMatchObject({ newCount });
  });

  it('Counts every row as new in an empty list', () => {
    expect(update(getRows(''), [item(1)])).toMatchObject({ newCount: 1, items: [] });
  });

  it('Learns the newest row from the first update if sorted otherwise', () => {
    const first = update(getRows('?sortierung=aelteste', item(1), item(2)), [item(8), item(7)]);
    expect(first).toMatchObject({ newCount: 0, newestId: 8 });
    expect(update(first, [item(9), item(8)])).toMatchObject({ newCount: 1 });
  });

  it.each<[string, string, Partial<DeskItem>, Partial<DeskItem>]>([
    ['another state', '?status=neu', {}, { state: 'in_progress' }],
    ['contact details', '?kontakt=fehlt', { finished: false }, { finished: true }],
    ['an assignee', '?bearbeitung=niemand', {}, { assignee: ACCOUNT }],
    ['another assignee', `?bearbeitung=${ACCOUNT}`, { assignee: ACCOUNT }, { assignee: null }],
  ])('Removes a row that has %s now, where the filter is %s', (_name, search, before, after) => {
    expect(change(search, item(2, before), item(2, { ...after, version: 2 }))).toEqual([]);
    expect(change('', item(2, before), item(2, { ...after, version: 2 }))).toEqual([2]);
    expect(change(search, item(2, { ...before, version: 3 }), item(2, { ...after, version: 2 }))).toEqual([2]);
    expect(change(search, item(2, before), item(3, { ...after, version: 2 }))).toEqual([2]);
  });

  it('Updates a row that is not among the newest', () => {
    const changed = [item(2, { state: 'published', version: 2 })];
    const rows = applyUpdate(shown, { page: deskPage([item(9)]), changed, erasedIds: [] });
    expect(rows).toMatchObject({ items: [{ id: 3 }, { id: 2, state: 'published' }], newCount: 1 });
  });

  it('Removes erased rows and takes the new counts', () => {
    expect(update(shown, [item(2)], [3])).toMatchObject({ items: [{ id: 2 }], counts: { new: 1 }, newCount: 0 });
  });
});
