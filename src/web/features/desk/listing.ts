import type { DeskContribution, DeskItem, DeskPage } from '#contract/desk.ts';
import type { DeskProblem } from '#web/backend/desk.ts';
import { parseFilter } from './desk-url.ts';

/** The loaded rows of one filter. */
export type Rows = Readonly<{
  /** Search part of the address that these rows answer. */
  search: string;
  items: readonly DeskItem[];
  next: string | null;
  counts: DeskPage['counts'];
  /** Rows with a higher id came in later; undefined until the newest rows are known. */
  newestId: number | undefined;
  /** How many rows came in later and are not shown. */
  newCount: number;
  /** The row opened from this list, which gets the focus on the way back. */
  opened: number | undefined;
}>;

/** A list that loads in pages. While `busy`, the shown rows stay. */
export type Listing =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | (Rows &
      Readonly<{
        status: 'ready';
        busy: 'no' | 'more' | 'reloading';
        /** Why the last request failed. */
        problem: DeskProblem | undefined;
      }>);

/** The newest rows of a filter, and which shown ones are erased. */
export type ListUpdate = Readonly<{ page: DeskPage; erasedIds: readonly number[] }>;

/** True if every shown row was erased and there are more pages, which then load by themselves. */
export function isExhausted(listing: Listing): boolean {
  return (
    listing.status === 'ready' && listing.items.length === 0 && listing.next !== null && listing.problem === undefined
  );
}

export function toRows(page: DeskPage, search: string): Rows {
  const newestFirst = parseFilter(search).sort === undefined;
  return {
    ...page,
    search,
    newestId: newestFirst ? findNewestId(page.items) : undefined,
    newCount: 0,
    opened: undefined,
  };
}

/** Skips rows that moved to a later page between two requests. */
export function appendPage(rows: Rows, { items, next }: DeskPage): Rows {
  const there = new Set(rows.items.map(({ id }) => id));
  return { ...rows, items: [...rows.items, ...items.filter(({ id }) => !there.has(id))], next };
}

/** Updates shown rows in place, counts new ones and removes erased ones. */
export function applyUpdate(rows: Rows, { page: { items, counts }, erasedIds }: ListUpdate): Rows {
  const newestId = rows.newestId ?? findNewestId(items);
  const left = rows.items.filter(({ id }) => !erasedIds.includes(id));
  const there = new Set(left.map(({ id }) => id));
  const newCount = items.filter(({ id }) => id > newestId && !there.has(id)).length;
  return { ...updateItems({ ...rows, items: left }, items), counts, newestId, newCount };
}

/** Updates rows unless a newer version is shown. Keeps the excerpt that the search found. */
export function updateItems(rows: Rows, changed: readonly DeskItem[]): Rows {
  const newer = new Map(changed.map((item) => [item.id, item]));
  const items = rows.items.map((item) => {
    const found = newer.get(item.id);
    return found === undefined || found.version < item.version ? item : { ...found, excerpt: item.excerpt };
  });
  return { ...rows, items };
}

export function removeItem(rows: Rows, id: number): Rows {
  return { ...rows, items: rows.items.filter((item) => item.id !== id) };
}

function findNewestId(items: readonly DeskItem[]): number {
  return items.reduce((most, { id }) => Math.max(most, id), 0);
}

/** Reduces a contribution to its row in a list. */
export function toDeskItem(contribution: DeskContribution): DeskItem {
  const { id, area, kind, topic, contributor, contributorEmail, createdAt, changedAt, state } = contribution;
  const { finished, files, assignee, assigneeEmail, version, excerpt, posts } = contribution;
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
    posts,
  };
}
