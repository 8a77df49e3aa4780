import type { DeskContribution, DeskItem, DeskPage } from '#contract/desk.ts';
import type { DeskProblem } from '#web/backend/desk-error.ts';
import { parseFilter } from './desk-url.ts';

/** A list that loads in pages. While `busy`, the shown rows stay. */
export type Listing =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | Readonly<{
      status: 'ready';
      /** Search part of the address that these rows answer. */
      search: string;
      items: readonly DeskItem[];
      next: string | null;
      counts: DeskPage['counts'];
      busy: 'no' | 'more' | 'reloading';
      /** Why the last request failed. */
      problem: DeskProblem | undefined;
      /** Rows with a higher id came in later; undefined until the newest rows are known. */
      newestId: number | undefined;
      /** How many rows came in later and are not shown. */
      newCount: number;
    }>;

export type ListingEvent =
  /** Another filter, or a reload. */
  | Readonly<{ type: 'requested' }>
  | Readonly<{ type: 'page'; page: DeskPage; search: string }>
  | Readonly<{ type: 'more-requested' }>
  | Readonly<{ type: 'more'; page: DeskPage }>
  | Readonly<{ type: 'failed'; problem: DeskProblem }>
  /** The newest rows of the same filter, and which shown ones are erased. */
  | Readonly<{ type: 'update'; page: DeskPage; erasedIds: readonly number[]; search: string }>
  /** This screen changed one row. */
  | Readonly<{ type: 'changed'; item: DeskItem }>
  | Readonly<{ type: 'erased'; id: number }>;

export const LOADING_LISTING: Listing = { status: 'loading' };

/** True if every shown row was erased and there are more pages, which then load by themselves. */
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

/** Updates shown rows in place, counts new ones and removes erased ones. */
function applyUpdate(listing: Shown, { items, counts }: DeskPage, erasedIds: readonly number[]): Shown {
  const newestId = listing.newestId ?? findNewestId(items);
  const left = listing.items.filter(({ id }) => !erasedIds.includes(id));
  const there = new Set(left.map(({ id }) => id));
  const newCount = items.filter(({ id }) => id > newestId && !there.has(id)).length;
  return { ...listing, items: updateItems(left, items), counts, newestId, newCount };
}

/** Skips rows that moved to a later page between two requests. */
function appendItems(items: readonly DeskItem[], more: readonly DeskItem[]): readonly DeskItem[] {
  const there = new Set(items.map(({ id }) => id));
  return [...items, ...more.filter(({ id }) => !there.has(id))];
}

/** Keeps the excerpt that the search found. */
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

/** Reduces a contribution to its row in a list. */
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
