import { useEffect } from 'react';
import type { DeskItem } from '#contract/desk.ts';
import type { ListingEvent } from '../listing.ts';
import { useListing } from '../use-listing.ts';

export type Neighbours = Readonly<{
  previous: DeskItem | undefined;
  next: DeskItem | undefined;
  /** Tells the list that one came from. */
  tell: (event: ListingEvent) => void;
}>;

/** What stands before and after a contribution in the list it was opened from, or would be opened from. */
export function useNeighbours(id: number, search: string): Neighbours {
  const { listing, tell, more } = useListing(search, 'never');
  const items = listing.status === 'ready' && listing.of === search ? listing.items : [];
  const place = items.findIndex((item) => item.id === id);
  const last = place !== -1 && place === items.length - 1;
  useEffect(() => {
    if (last) more();
  }, [last, more]);
  return {
    previous: place === -1 ? undefined : items[place - 1],
    next: place === -1 ? undefined : items[place + 1],
    tell,
  };
}
