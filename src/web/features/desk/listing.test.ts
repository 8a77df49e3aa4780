import { describe, expect, it } from 'vitest';
import type { DeskItem } from '#contract/desk.ts';
import { isExhausted, LOADING_LISTING, reduceListing, toDeskItem, type Listing, type ListingEvent } from './listing.ts';
import { deskContribution, deskItem, deskPage } from './testing/desk-items.ts';

const item = (id: number, facts: Partial<DeskItem> = {}) => deskItem({ id, ...facts });
const shown = (search: string, ...items: readonly DeskItem[]) =>
  reduceListing(LOADING_LISTING, { type: 'page', search, page: deskPage(items, { next: 'c' }) });
const ready = shown('', item(3), item(2));
const after = (...events: readonly ListingEvent[]): Listing => events.reduce(reduceListing, ready);
const ids = (listing: Listing) => (listing.status === 'ready' ? listing.items.map(({ id }) => id) : []);

describe('Desk: paged list', () => {
  it('Loads, fails and can be requested again', () => {
    expect(ready).toMatchObject({ status: 'ready', next: 'c', busy: 'no', counts: { new: 2 }, search: '' });
    const failed = reduceListing(LOADING_LISTING, { type: 'failed', problem: 'unreachable' });
    expect(failed).toEqual({ status: 'failed', problem: 'unreachable' });
    expect(reduceListing(failed, { type: 'requested' })).toEqual(LOADING_LISTING);
    expect(reduceListing(failed, { type: 'more-requested' })).toBe(failed);
  });

  it('Keeps the rows until those of another filter arrive', () => {
    expect(after({ type: 'requested' })).toMatchObject({
      busy: 'reloading',
      search: '',
      items: [{ id: 3 }, { id: 2 }],
    });
    const other = after({ type: 'requested' }, { type: 'page', search: '?art=bild', page: deskPage([item(9)]) });
    expect(other).toMatchObject({ search: '?art=bild', items: [{ id: 9 }] });
  });

  it('Appends further rows without duplicates', () => {
    const more = after({ type: 'more-requested' }, { type: 'more', page: deskPage([item(2), item(1)]) });
    expect(ids(more)).toEqual([3, 2, 1]);
    expect(more).toMatchObject({ next: null, busy: 'no' });
  });

  it('Keeps the rows after a failure', () => {
    const failed = after({ type: 'more-requested' }, { type: 'failed', problem: 'unreachable' });
    expect(failed).toMatchObject({ problem: 'unreachable', busy: 'no', next: 'c' });
    expect(ids(failed)).toEqual([3, 2]);
    expect(reduceListing(failed, { type: 'more-requested' })).toMatchObject({ problem: undefined, busy: 'more' });
  });

  it('Updates and removes rows changed on this screen', () => {
    const changed = after({ type: 'changed', item: item(2, { state: 'rejected', version: 2 }) });
    expect(changed).toMatchObject({ items: [{ state: 'new' }, { state: 'rejected' }] });
    expect(ids(after({ type: 'erased', id: 3 }))).toEqual([2]);
  });

  it('Reduces a contribution to its row', () => {
    expect(toDeskItem(deskContribution())).toEqual(deskItem());
  });
});

describe('Desk: list updates', () => {
  const news = (...items: readonly DeskItem[]): ListingEvent => ({
    type: 'update',
    search: '',
    page: deskPage(items),
    erasedIds: [],
  });

  it('Updates shown rows, never their order, number or excerpt', () => {
    const listing = after(
      news(
        item(9),
        item(2, { state: 'published', version: 2, excerpt: 'anders' }),
        item(3, { state: 'rejected', version: 0 }),
      ),
    );
    expect(ids(listing)).toEqual([3, 2]);
    expect(listing).toMatchObject({
      items: [{ state: 'new' }, { state: 'published', excerpt: item(2).excerpt }],
      counts: { new: 3 },
    });
  });

  it.each([
    ['nothing new', [item(3), item(2)], 0],
    ['one that is newer', [item(4), item(3)], 1],
    ['two', [item(9), item(4), item(3)], 2],
    ['an older one that fits the filter now', [item(3), item(1)], 0],
  ])('Counts %s', (_name, items, newCount) => {
    expect(after(news(...items))).toMatchObject({ newCount });
  });

  it('Counts every row as new in an empty list', () => {
    expect(reduceListing(shown(''), news(item(1)))).toMatchObject({ newCount: 1, items: [] });
  });

  it('Learns the newest row from the first update if sorted otherwise', () => {
    const oldest = shown('?sortierung=aelteste', item(1), item(2));
    const search = '?sortierung=aelteste';
    const first = reduceListing(oldest, { type: 'update', search, page: deskPage([item(8), item(7)]), erasedIds: [] });
    expect(first).toMatchObject({ newCount: 0, newestId: 8 });
    const later = reduceListing(first, { type: 'update', search, page: deskPage([item(9), item(8)]), erasedIds: [] });
    expect(later).toMatchObject({ newCount: 1 });
  });

  it('Removes erased rows and reports when no shown row is left', () => {
    const one = after({
      type: 'update',
      search: '',
      page: deskPage([item(2)], { counts: { new: 1 } }),
      erasedIds: [3],
    });
    expect(one).toMatchObject({ items: [{ id: 2 }], counts: { new: 1 }, newCount: 0 });
    expect(isExhausted(one)).toBe(false);
    const none = reduceListing(one, { type: 'update', search: '', page: deskPage([]), erasedIds: [2] });
    expect(isExhausted(none)).toBe(true);
    expect(isExhausted(reduceListing(none, { type: 'failed', problem: 'unreachable' }))).toBe(false);
    expect(isExhausted(reduceListing(none, { type: 'more', page: deskPage([item(1)]) }))).toBe(false);
    expect(isExhausted(shown(''))).toBe(true);
    expect(isExhausted(reduceListing(LOADING_LISTING, { type: 'page', search: '', page: deskPage([]) }))).toBe(false);
  });

  it('Ignores updates of another filter and counts from zero after a reload', () => {
    expect(after({ type: 'update', search: '?art=bild', page: deskPage([item(9)]), erasedIds: [3] })).toBe(ready);
    expect(after(news(item(9)), { type: 'page', search: '', page: deskPage([item(9)]) })).toMatchObject({
      newCount: 0,
    });
  });
});
