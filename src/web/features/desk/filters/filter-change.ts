import type { DeskFilter } from '../desk-url.ts';

/** What a control of the filter changes; `undefined`: this part no longer filters. */
export type FilterChange = { readonly [K in keyof DeskFilter]?: DeskFilter[K] | undefined };

export function changed(filter: DeskFilter, change: FilterChange): DeskFilter {
  const given = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/** The list with or without this one. */
export function toggled<T>(list: readonly T[] | undefined, value: T): readonly T[] | undefined {
  const before = list ?? [];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  return after.length === 0 ? undefined : after;
}

/** How many parts filter; search, state and sorting have places of their own. */
export function filtersIn({ areas = [], kinds = [], finished, assignee, from, until }: DeskFilter): number {
  const single = [finished, assignee, from, until].filter((value) => value !== undefined);
  return areas.length + kinds.length + single.length;
}
