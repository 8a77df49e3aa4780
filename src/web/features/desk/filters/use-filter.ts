import { useCallback, useMemo } from 'react';
import { useNavigate } from '#web/ui/link.tsx';
import { filterOf, searchOf, type DeskFilter } from '../desk-url.ts';
import { changed, type FilterChange } from './filter-change.ts';

export type UseFilter = Readonly<{
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
  const search = searchOf(filterOf(address));
  const filter = useMemo(() => filterOf(search), [search]);
  const change = useCallback(
    (change: FilterChange) => navigate(`${path}${searchOf(changed(filter, change))}`),
    [filter, navigate, path],
  );
  const searchFor = useCallback(
    (text: string) => {
      const next = searchOf(changed(filter, { search: text === '' ? undefined : text }));
      if (next !== search) navigate(`${path}${next}`, { replace: filter.search !== undefined && text !== '' });
    },
    [filter, navigate, path, search],
  );
  const clear = useCallback(() => {
    const { sort } = filter;
    navigate(`${path}${searchOf(sort === undefined ? {} : { sort })}`);
  }, [filter, navigate, path]);
  return { filter, search, change, searchFor, clear };
}
