import { describe, expect, it } from 'vitest';
import type { DeskItem } from '#contract/desk.ts';
import { isSpent, nextListing, NOTHING_YET, rowOf, type Listing, type ListingEvent } from './listing.ts';
import { deskContribution, deskItem, deskPage } from './testing/desk-items.ts';

const item = (id: number, facts: Partial<DeskItem> = {}) => deskItem({ id, ...facts });
const shown = (of: string, ...items: readonly DeskItem[]) =>
  nextListing(NOTHING_YET, { type: 'page', of, page: deskPage(items, { next: 'c' }) });
const ready = shown('', item(3), item(2));
const after = (...events: readonly ListingEvent[]): Listing => events.reduce(nextListing, ready);
const ids = (listing: Listing) => (listing.status === 'ready' ? listing.items.map(({ id }) => id) : []);

describe('desk: a list that comes in pages', () => {
  it('is loading, then there; or failed, and can be asked again', () => {
    expect(ready).toMatchObject({ status: 'ready', next: 'c', busy: 'no', counts: { new: 2 }, of: '' });
    const failed = nextListing(NOTHING_YET, { type: 'failed', problem: 'unreachable' });
    expect(failed).toEqual({ status: 'failed', problem: 'unreachable' });
    expect(nextListing(failed, { type: 'asked' })).toEqual(NOTHING_YET);
    expect(nextListing(failed, { type: 'more-asked' })).toBe(failed);
  });

  it('another filter leaves the rows in place until the new ones are there', () => {
    expect(after({ type: 'asked' })).toMatchObject({ busy: 'anew', of: '', items: [{ id: 3 }, { id: 2 }] });
    const other = after({ type: 'asked' }, { type: 'page', of: '?art=bild', page: deskPage([item(9)]) });
    expect(other).toMatchObject({ of: '?art=bild', items: [{ id: 9 }] });
  });

  it('more comes below, nothing twice', () => {
    const more = after({ type: 'more-asked' }, { type: 'more', page: deskPage([item(2), item(1)]) });
    expect(ids(more)).toEqual([3, 2, 1]);
    expect(more).toMatchObject({ next: null, busy: 'no' });
  });

  it('a failure keeps what is shown', () => {
    const failed = after({ type: 'more-asked' }, { type: 'failed', problem: 'unreachable' });
    expect(failed).toMatchObject({ problem: 'unreachable', busy: 'no', next: 'c' });
    expect(ids(failed)).toEqual([3, 2]);
    expect(nextListing(failed, { type: 'more-asked' })).toMatchObject({ problem: undefined, busy: 'more' });
  });

  it('a row that was changed or erased here', () => {
    const changed = after({ type: 'changed', item: item(2, { state: 'rejected', version: 2 }) });
    expect(changed).toMatchObject({ items: [{ state: 'new' }, { state: 'rejected' }] });
    expect(ids(after({ type: 'gone', id: 3 }))).toEqual([2]);
  });

  it('a contribution is a row without what only its own screen shows', () => {
    expect(rowOf(deskContribution())).toEqual(deskItem());
  });
});

describe('desk: news', () => {
  const news = (...items: readonly DeskItem[]): ListingEvent => ({
    type: 'news',
    of: '',
    page: deskPage(items),
    gone: [],
  });

  it('changes rows that are shown, never their order, number or excerpt', () => {
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
  ])('counts %s', (_name, items, fresh) => {
    expect(after(news(...items))).toMatchObject({ fresh });
  });

  it('counts from nothing in an empty list', () => {
    expect(nextListing(shown(''), news(item(1)))).toMatchObject({ fresh: 1, items: [] });
  });

  it('sorted otherwise, the first look says what is newest', () => {
    const oldest = shown('?sortierung=aelteste', item(1), item(2));
    const of = '?sortierung=aelteste';
    const first = nextListing(oldest, { type: 'news', of, page: deskPage([item(8), item(7)]), gone: [] });
    expect(first).toMatchObject({ fresh: 0, newest: 8 });
    const later = nextListing(first, { type: 'news', of, page: deskPage([item(9), item(8)]), gone: [] });
    expect(later).toMatchObject({ fresh: 1 });
  });

  it('what was erased goes, and is no new one; more comes by itself where nothing is left', () => {
    const one = after({ type: 'news', of: '', page: deskPage([item(2)], { counts: { new: 1 } }), gone: [3] });
    expect(one).toMatchObject({ items: [{ id: 2 }], counts: { new: 1 }, fresh: 0 });
    expect(isSpent(one)).toBe(false);
    const none = nextListing(one, { type: 'news', of: '', page: deskPage([]), gone: [2] });
    expect(isSpent(none)).toBe(true);
    expect(isSpent(nextListing(none, { type: 'failed', problem: 'unreachable' }))).toBe(false);
    expect(isSpent(nextListing(none, { type: 'more', page: deskPage([item(1)]) }))).toBe(false);
    expect(isSpent(shown(''))).toBe(true);
    expect(isSpent(nextListing(NOTHING_YET, { type: 'page', of: '', page: deskPage([]) }))).toBe(false);
  });

  it('of another filter are none; asked anew, none are left', () => {
    expect(after({ type: 'news', of: '?art=bild', page: deskPage([item(9)]), gone: [3] })).toBe(ready);
    expect(after(news(item(9)), { type: 'page', of: '', page: deskPage([item(9)]) })).toMatchObject({ fresh: 0 });
  });
});
