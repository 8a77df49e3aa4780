import { useCallback, useMemo } from 'react';
import { useNavigate } from '#web/ui/link.tsx';
import { formatFilter, parseFilter, type DeskFilter } from '../desk-url.ts';

type UseFilter = Readonly<{
  filter: DeskFilter;
  /** The same filter, always written alike. */
  search: string;
  change: (change: FilterChange) => void;
  /** Words on their way to other words make no history of their own. */
  searchFor: (text: string) => void;
  clear: () => void;
}>;

/** The filter as it stands in the address of `path`, and the ways to change it there. */
export function useFilter(path: string, address: string): UseFilter {
  const navigate = useNavigate();
  const search = formatFilter(parseFilter(address));
  const filter = useMemo(() => parseFilter(search), [search]);
  const change = useCallback(
    (change: FilterChange) => navigate(`${path}${formatFilter(changed(filter, change))}`),
    [filter, navigate, path],
  );
  const searchFor = useCallback(
    (text: string) => {
      const next = formatFilter(changed(filter, { search: text === '' ? undefined : text }));
      if (next !== search) navigate(`${path}${next}`, { replace: filter.search !== undefined && text !== '' });
    },
    [filter, navigate, path, search],
  );
  const clear = useCallback(() => {
    const { sort } = filter;
    navigate(`${path}${formatFilter(sort === undefined ? {} : { sort })}`);
  }, [filter, navigate, path]);
  return { filter, search, change, searchFor, clear };
}

/** What a control of the filter changes; `undefined`: this part no longer filters. */
export type FilterChange = { readonly [K in keyof DeskFilter]?: DeskFilter[K] | undefined };

export function changed(filter: DeskFilter, change: FilterChange): DeskFilter {
  const given = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/** The list with or without this one. */
export function toggle<T>(list: readonly T[] | undefined, value: T): readonly T[] | undefined {
  const before = list ?? [];
  const after = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
  return after.length === 0 ? undefined : after;
}

/** How many parts filter; search, state and sorting have places of their own. */
export function countFilters({ areas = [], kinds = [], finished, assignee, from, until }: DeskFilter): number {
  const single = [finished, assignee, from, until].filter((value) => value !== undefined);
  return areas.length + kinds.length + single.length;
}
