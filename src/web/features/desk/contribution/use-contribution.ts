import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { DeskContribution, DeskItem } from '#contract/desk.ts';
import { getDeskProblem, type DeskProblem } from '#web/backend/desk-error.ts';
import { useDesk } from '../use-desk.ts';
import { INBOX_PAGE, useListing, type UseListing } from '../use-listing.ts';

type UseContribution = Readonly<{
  contribution: DeskContribution | undefined;
  /** Why there is no contribution. */
  problem: DeskProblem | undefined;
  /** Shows the state that a change returned. */
  set: (contribution: DeskContribution) => void;
  /** Starts from the beginning, also after another administrator erased it. */
  reload: () => void;
}>;

export function useContribution(id: number): UseContribution {
  const desk = useDesk();
  const client = useQueryClient();
  const queryKey = ['desk', 'contribution', id];
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => desk.contribution(id, signal) });
  return {
    contribution: data,
    problem: error === null ? undefined : getDeskProblem(error),
    set: (contribution) => client.setQueryData(queryKey, contribution),
    reload: () => void client.resetQueries({ queryKey }),
  };
}

type Neighbours = Readonly<{
  previous: DeskItem | undefined;
  next: DeskItem | undefined;
  /** Changes the list the contribution was opened from. */
  changeRows: UseListing['change'];
}>;

/** Finds the neighbours of a contribution in the list it was opened from. */
export function useNeighbours(id: number, search: string): Neighbours {
  const { listing, change, more } = useListing({ search, pageSize: INBOX_PAGE, refresh: 'never' });
  const items = listing.status === 'ready' && listing.search === search ? listing.items : [];
  const place = items.findIndex((item) => item.id === id);
  const last = place !== -1 && place === items.length - 1;
  useEffect(() => {
    if (last) more();
    // oxlint-disable-next-line react/exhaustive-deps -- once when the last row is reached, not again after a failure
  }, [last]);
  return {
    previous: place === -1 ? undefined : items[place - 1],
    next: place === -1 ? undefined : items[place + 1],
    changeRows: change,
  };
}
