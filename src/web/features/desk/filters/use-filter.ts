import { useCallback, useMemo } from 'react';
import { useNavigate } from '#web/ui/link.tsx';
import { formatFilter, parseFilter, type DeskFilter } from '../desk-url.ts';

/** Reads the filter from the address and navigates to changed ones under `path`. */
export function useFilter(path: string, address: string) {
  const navigate = useNavigate();
  const search = formatFilter(parseFilter(address));
  const filter = useMemo(() => parseFilter(search), [search]);
  const change = useCallback(
    (change: FilterChange) =>
      navigate(`${path}${formatFilter(changed(filter, change))}`, { replace: isTypingOn(filter, change) }),
    [filter, navigate, path],
  );
  const searchFor = useCallback(
    (text: string) => {
      const next = { search: text === '' ? undefined : text };
      if (formatFilter(changed(filter, next)) !== search) change(next);
    },
    [change, filter, search],
  );
  const clear = useCallback(() => {
    const { sort } = filter;
    // The pressed button disappears with the filters.
    document.querySelector('h1')?.focus({ preventScroll: true });
    navigate(`${path}${formatFilter(sort === undefined ? {} : { sort })}`);
  }, [filter, navigate, path]);
  // `search`: the filter in its one canonical spelling.
  return { filter, search, change, searchFor, clear };
}

const TYPED = ['search', 'from', 'until'] as const;

/** Whether a field that is typed into goes from one value to another, which replaces the entry of the history. */
export function isTypingOn(filter: DeskFilter, change: FilterChange): boolean {
  const [name, ...others] = TYPED.filter((one) => one in change);
  return name !== undefined && others.length === 0 && filter[name] !== undefined && change[name] !== undefined;
}

/** A change of the filter; `undefined` removes a part. */
export type FilterChange = { readonly [K in keyof DeskFilter]?: DeskFilter[K] | undefined };

export function changed(filter: DeskFilter, change: FilterChange): DeskFilter {
  const given = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/** Adds the value to the list or removes it. */
export function toggle<T>(list: readonly T[] | undefined, value: T): readonly T[] | undefined {
  const before = list ?? [];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  return after.length === 0 ? undefined : after;
}

/** Counts the filters of the sheet; search, state and sorting are elsewhere. */
export function countFilters({ areas = [], kinds = [], finished, assignee, from, until }: DeskFilter): number {
  const single = [finished, assignee, from, until].filter((value) => value !== undefined);
  return areas.length + kinds.length + single.length;
}
