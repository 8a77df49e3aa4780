import { useCallback, useEffect, useState } from 'react';
import type { DeskContribution, DeskItem } from '#contract/desk.ts';
import { getDeskProblem, type DeskProblem } from '#web/backend/desk-error.ts';
import type { ListingEvent } from '../listing.ts';
import { useDesk } from '../use-desk.ts';
import { useListing } from '../use-listing.ts';

type ContributionState =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | Readonly<{ status: 'ready'; contribution: DeskContribution }>;

type UseContribution = Readonly<{
  state: ContributionState;
  /** What holds now, as a change answered. */
  set: (contribution: DeskContribution) => void;
  reload: () => void;
  /** It was erased meanwhile: nothing of it is shown any longer. */
  markMissing: () => void;
}>;

export function useContribution(id: number): UseContribution {
  const desk = useDesk();
  const [state, setState] = useState<ContributionState>({ status: 'loading' });
  const [request, setRequest] = useState({ id });
  if (request.id !== id) setRequest({ id });
  useEffect(() => {
    const left = new AbortController();
    desk.contribution(request.id, left.signal).then(
      (contribution) => (left.signal.aborted ? undefined : setState({ status: 'ready', contribution })),
      (error: unknown) =>
        left.signal.aborted ? undefined : setState({ status: 'failed', problem: getDeskProblem(error) }),
    );
    return () => left.abort();
  }, [desk, request]);
  const set = useCallback((contribution: DeskContribution) => setState({ status: 'ready', contribution }), []);
  const reload = useCallback(() => {
    setState({ status: 'loading' });
    setRequest({ id });
  }, [id]);
  const markMissing = useCallback(() => setState({ status: 'failed', problem: 'missing' }), []);
  return { state, set, reload, markMissing };
}

type Neighbours = Readonly<{
  previous: DeskItem | undefined;
  next: DeskItem | undefined;
  /** Tells the list that one came from. */
  dispatch: (event: ListingEvent) => void;
}>;

/** What stands before and after a contribution in the list it was opened from, or would be opened from. */
export function useNeighbours(id: number, search: string): Neighbours {
  const { listing, dispatch, more } = useListing(search, 'never');
  const items = listing.status === 'ready' && listing.search === search ? listing.items : [];
  const place = items.findIndex((item) => item.id === id);
  const last = place !== -1 && place === items.length - 1;
  useEffect(() => {
    if (last) more();
  }, [last, more]);
  return {
    previous: place === -1 ? undefined : items[place - 1],
    next: place === -1 ? undefined : items[place + 1],
    dispatch,
  };
}
