import type { DeskContribution, DeskItem, DeskPage } from '#contract/desk.ts';
import type { DeskProblem } from '#web/backend/desk-error.ts';
import { parseFilter } from './desk-url.ts';

/** A list that comes in pages. `busy`: something is on its way; what is shown stays meanwhile. */
export type Listing =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | Readonly<{
      status: 'ready';
      /** The search part of the address whose rows these are. */
      search: string;
      items: readonly DeskItem[];
      next: string | null;
      counts: DeskPage['counts'];
      busy: 'no' | 'more' | 'reloading';
      /** The last thing asked for did not come. */
      problem: DeskProblem | undefined;
      /** Whatever has a higher id came in later; unknown until the newest rows have been seen. */
      newestId: number | undefined;
      /** How many came in later and are not shown, as far as was looked. */
      newCount: number;
    }>;

export type ListingEvent =
  /** Asked anew: another filter, or once more. */
  | Readonly<{ type: 'requested' }>
  | Readonly<{ type: 'page'; page: DeskPage; search: string }>
  | Readonly<{ type: 'more-requested' }>
  | Readonly<{ type: 'more'; page: DeskPage }>
  | Readonly<{ type: 'failed'; problem: DeskProblem }>
  /** The newest rows of the same filter as they are now, and what is erased of the shown ones. */
  | Readonly<{ type: 'update'; page: DeskPage; erasedIds: readonly number[]; search: string }>
  /** One row was changed here. */
  | Readonly<{ type: 'changed'; item: DeskItem }>
  | Readonly<{ type: 'erased'; id: number }>;

export const LOADING_LISTING: Listing = { status: 'loading' };

/** All that was shown is gone, and there is more: it comes by itself. */
export function isExhausted(listing: Listing): boolean {
  return (
    listing.status === 'ready' && listing.items.length === 0 && listing.next !== null && listing.problem === undefined
  );
}

export function reduceListing(listing: Listing, event: ListingEvent): Listing {
  if (event.type === 'page') return showPage(event.page, event.search);
  if (listing.status !== 'ready') {
    if (event.type === 'failed') return { status: 'failed', problem: event.problem };
    return event.type === 'requested' ? LOADING_LISTING : listing;
  }
  switch (event.type) {
    case 'requested':
      return { ...listing, busy: 'reloading', problem: undefined };
    case 'more-requested':
      return { ...listing, busy: 'more', problem: undefined };
    case 'more':
      return { ...listing, items: appendItems(listing.items, event.page.items), next: event.page.next, busy: 'no' };
    case 'failed':
      return { ...listing, busy: 'no', problem: event.problem };
    case 'update':
      return event.search === listing.search ? applyUpdate(listing, event.page, event.erasedIds) : listing;
    case 'changed':
      return { ...listing, items: updateItems(listing.items, [event.item]) };
    default:
      return { ...listing, items: listing.items.filter(({ id }) => id !== event.id) };
  }
}

type Shown = Extract<Listing, { status: 'ready' }>;

function showPage(page: DeskPage, search: string): Shown {
  const newestFirst = parseFilter(search).sort === undefined;
  return {
    ...page,
    search,
    status: 'ready',
    busy: 'no',
    problem: undefined,
    newestId: newestFirst ? findNewestId(page.items) : undefined,
    newCount: 0,
  };
}

/** Rows that are shown change where they stand; new ones are only counted; erased ones go. */
function applyUpdate(listing: Shown, { items, counts }: DeskPage, erasedIds: readonly number[]): Shown {
  const newestId = listing.newestId ?? findNewestId(items);
  const left = listing.items.filter(({ id }) => !erasedIds.includes(id));
  const there = new Set(left.map(({ id }) => id));
  const newCount = items.filter(({ id }) => id > newestId && !there.has(id)).length;
  return { ...listing, items: updateItems(left, items), counts, newestId, newCount };
}

/** A row that has moved to a later page between two requests is not shown twice. */
function appendItems(items: readonly DeskItem[], more: readonly DeskItem[]): readonly DeskItem[] {
  const there = new Set(items.map(({ id }) => id));
  return [...items, ...more.filter(({ id }) => !there.has(id))];
}

/** An excerpt stays as the search found it. */
function updateItems(items: readonly DeskItem[], changed: readonly DeskItem[]): readonly DeskItem[] {
  const newer = new Map(changed.map((item) => [item.id, item]));
  return items.map((item) => {
    const found = newer.get(item.id);
    return found === undefined || found.version < item.version ? item : { ...found, excerpt: item.excerpt };
  });
}

function findNewestId(items: readonly DeskItem[]): number {
  return items.reduce((most, { id }) => Math.max(most, id), 0);
}

/** A contribution as the row it is in a list. */
export function toDeskItem(contribution: DeskContribution): DeskItem {
  const { id, area, kind, topic, contributor, contributorEmail, createdAt, changedAt, state } = contribution;
  const { finished, files, assignee, assigneeEmail, version, excerpt } = contribution;
  return {
    id,
    area,
    kind,
    topic,
    contributor,
    contributorEmail,
    createdAt,
    changedAt,
    state,
    finished,
    files,
    assignee,
    assigneeEmail,
    version,
    excerpt,
  };
}
