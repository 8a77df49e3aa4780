import type { DeskContribution, DeskItem, DeskPage } from '#contract/desk.ts';
import type { DeskProblem } from '#web/backend/desk-error.ts';
import { filterOf } from './desk-url.ts';

/** A list that comes in pages. `busy`: something is on its way; what is shown stays meanwhile. */
export type Listing =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | Readonly<{
      status: 'ready';
      /** The search part of the address whose rows these are. */
      of: string;
      items: readonly DeskItem[];
      next: string | null;
      counts: DeskPage['counts'];
      busy: 'no' | 'more' | 'anew';
      /** The last thing asked for did not come. */
      problem: DeskProblem | undefined;
      /** Whatever has a higher id came in later; unknown until the newest rows have been seen. */
      newest: number | undefined;
      /** How many came in later and are not shown, as far as was looked. */
      fresh: number;
    }>;

export type ListingEvent =
  /** Asked anew: another filter, or once more. */
  | Readonly<{ type: 'asked' }>
  | Readonly<{ type: 'page'; page: DeskPage; of: string }>
  | Readonly<{ type: 'more-asked' }>
  | Readonly<{ type: 'more'; page: DeskPage }>
  | Readonly<{ type: 'failed'; problem: DeskProblem }>
  /** The newest rows of the same filter as they are now, and what is erased of the shown ones. */
  | Readonly<{ type: 'news'; page: DeskPage; gone: readonly number[]; of: string }>
  /** One row was changed here. */
  | Readonly<{ type: 'changed'; item: DeskItem }>
  | Readonly<{ type: 'gone'; id: number }>;

export const NOTHING_YET: Listing = { status: 'loading' };

/** All that was shown is gone, and there is more: it comes by itself. */
export function isSpent(listing: Listing): boolean {
  return (
    listing.status === 'ready' && listing.items.length === 0 && listing.next !== null && listing.problem === undefined
  );
}

export function nextListing(listing: Listing, event: ListingEvent): Listing {
  if (event.type === 'page') return shown(event.page, event.of);
  if (listing.status !== 'ready') {
    if (event.type === 'failed') return { status: 'failed', problem: event.problem };
    return event.type === 'asked' ? NOTHING_YET : listing;
  }
  switch (event.type) {
    case 'asked':
      return { ...listing, busy: 'anew', problem: undefined };
    case 'more-asked':
      return { ...listing, busy: 'more', problem: undefined };
    case 'more':
      return { ...listing, items: joined(listing.items, event.page.items), next: event.page.next, busy: 'no' };
    case 'failed':
      return { ...listing, busy: 'no', problem: event.problem };
    case 'news':
      return event.of === listing.of ? withNews(listing, event.page, event.gone) : listing;
    case 'changed':
      return { ...listing, items: renewed(listing.items, [event.item]) };
    default:
      return { ...listing, items: listing.items.filter(({ id }) => id !== event.id) };
  }
}

type Shown = Extract<Listing, { status: 'ready' }>;

function shown(page: DeskPage, of: string): Shown {
  const newestFirst = filterOf(of).sort === undefined;
  return {
    ...page,
    of,
    status: 'ready',
    busy: 'no',
    problem: undefined,
    newest: newestFirst ? newestOf(page.items) : undefined,
    fresh: 0,
  };
}

/** Rows that are shown change where they stand; new ones are only counted; erased ones go. */
function withNews(listing: Shown, { items, counts }: DeskPage, gone: readonly number[]): Shown {
  const newest = listing.newest ?? newestOf(items);
  const left = listing.items.filter(({ id }) => !gone.includes(id));
  const there = new Set(left.map(({ id }) => id));
  const fresh = items.filter(({ id }) => id > newest && !there.has(id)).length;
  return { ...listing, items: renewed(left, items), counts, newest, fresh };
}

/** A row that has moved to a later page between two requests is not shown twice. */
function joined(items: readonly DeskItem[], more: readonly DeskItem[]): readonly DeskItem[] {
  const there = new Set(items.map(({ id }) => id));
  return [...items, ...more.filter(({ id }) => !there.has(id))];
}

/** An excerpt stays as the search found it. */
function renewed(items: readonly DeskItem[], news: readonly DeskItem[]): readonly DeskItem[] {
  const newer = new Map(news.map((item) => [item.id, item]));
  return items.map((item) => {
    const found = newer.get(item.id);
    return found === undefined || found.version < item.version ? item : { ...found, excerpt: item.excerpt };
  });
}

function newestOf(items: readonly DeskItem[]): number {
  return items.reduce((most, { id }) => Math.max(most, id), 0);
}

/** A contribution as the row it is in a list. */
export function rowOf(contribution: DeskContribution): DeskItem {
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
