import { type DeskContribution, type DeskItem, DeskItemSchema, type DeskPage } from '#contract/desk.ts';
import type { DeskProblem } from '#web/backend/desk.ts';
import { formatNumber } from '#web/ui/format.ts';
import { type DeskFilter, parseFilter } from './desk-url.ts';

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
  /** The contribution looked at last, whose row gets the focus on the way back. */
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

export type ListUpdate = Readonly<{
  /** The newest rows of the filter. */
  page: DeskPage;
  /** What was changed last, whatever the filter: rows that left it are only here. */
  changed: readonly DeskItem[];
  /** Which shown rows are erased. */
  erasedIds: readonly number[];
}>;

/** A search stops counting here (`DeskPageSchema.counts`). */
const COUNTED = 10_000;

export function formatCount(count: number | undefined, { search }: DeskFilter): string | undefined {
  if (count === undefined) return undefined;
  return search !== undefined && count >= COUNTED ? `${formatNumber(COUNTED)}+` : formatNumber(count);
}

/** The shown rows. */
export function getItems(listing: Listing): readonly DeskItem[] {
  return listing.status === 'ready' ? listing.items : [];
}

/** Whether rows are on their way. */
export function isLoading(listing: Listing): boolean {
  return listing.status === 'loading' || (listing.status === 'ready' && listing.busy !== 'no');
}

/** True if every shown row has gone and there are more pages, which then load by themselves. */
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

/** Skips rows that moved to a later page between two requests. `moved`: rows that may have moved to the front. */
export function appendPage(rows: Rows, { items, next }: DeskPage, moved: readonly DeskItem[] = []): Rows {
  const there = new Set(rows.items.map(({ id }) => id));
  const all = [...moved.filter(({ id }) => !there.has(id)), ...rows.items];
  const shown = new Set(all.map(({ id }) => id));
  return { ...rows, items: [...all, ...items.filter(({ id }) => !shown.has(id))], next };
}

/** Updates shown rows in place, counts new ones, and removes those that are erased or no longer fit the filter. */
export function applyUpdate(rows: Rows, update: ListUpdate): Rows {
  const { items, counts } = update.page;
  const newestId = rows.newestId ?? findNewestId(items);
  const { stay } = sortOut(rows.search, rows.items, update);
  const there = new Set(stay.map(({ id }) => id));
  const newCount = items.filter(({ id }) => id > newestId && !there.has(id)).length;
  return { ...rows, items: stay, counts, newestId, newCount };
}

/** The shown rows as they are now, without erased ones: those that stay, and those that no longer fit the filter. */
export function sortOut(
  search: string,
  shown: readonly DeskItem[],
  { page, changed, erasedIds }: ListUpdate,
): Readonly<{ stay: readonly DeskItem[]; left: readonly DeskItem[] }> {
  const filter = parseFilter(search);
  const erased = new Set(erasedIds);
  const there = shown.filter(({ id }) => !erased.has(id));
  const now = replaceOlder(replaceOlder(there, page.items), changed, filter);
  return {
    stay: now.filter((item) => isOfFilter(item, filter)),
    left: now.filter((item) => !isOfFilter(item, filter)),
  };
}

/** Compares only what people change: by search, days, area and kind a row fits as long as the database found it. */
function isOfFilter(item: DeskItem, { states, finished, assignee }: DeskFilter): boolean {
  if (states !== undefined && !states.includes(item.state)) return false;
  if (finished !== undefined && finished !== item.finished) return false;
  return assignee === undefined || (item.assignee ?? 'none') === assignee;
}

export function updateItems(rows: Rows, changed: readonly DeskItem[]): Rows {
  return { ...rows, items: replaceOlder(rows.items, changed, parseFilter(rows.search)) };
}

/** Updates rows unless a newer version is shown. A search has found the excerpt, of which `changed` knows nothing. */
function replaceOlder(
  items: readonly DeskItem[],
  changed: readonly DeskItem[],
  { search }: DeskFilter = {},
): readonly DeskItem[] {
  const newer = new Map(changed.map((item) => [item.id, item]));
  return items.map((item) => {
    const found = newer.get(item.id);
    if (found === undefined || found.version < item.version) return item;
    return search === undefined ? found : { ...found, excerpt: item.excerpt };
  });
}

export function removeItem(rows: Rows, id: number): Rows {
  return { ...rows, items: rows.items.filter((item) => item.id !== id) };
}

function findNewestId(items: readonly DeskItem[]): number {
  return items.reduce((most, { id }) => Math.max(most, id), 0);
}

/** Reduces a contribution to its row in a list: the schema leaves the rest out. */
export function toDeskItem(contribution: DeskContribution): DeskItem {
  return DeskItemSchema.parse(contribution);
}
