import { useCallback, useEffect } from 'react';
import type { DeskContribution, DeskItem } from '#contract/desk.ts';
import type { ListingEvent } from '../listing.ts';
import { useDesk } from '../use-desk.ts';
import { useListing } from '../use-listing.ts';
import { useLoaded, type Loaded } from '../use-loaded.ts';

type UseContribution = Readonly<{
  state: Loaded<DeskContribution>;
  /** Shows the state that a change returned. */
  set: (contribution: DeskContribution) => void;
  reload: () => void;
  /** Hides the contribution after another administrator erased it. */
  markMissing: () => void;
}>;

export function useContribution(id: number): UseContribution {
  const desk = useDesk();
  const load = useCallback((signal: AbortSignal) => desk.contribution(id, signal), [desk, id]);
  const { state, setState, reload } = useLoaded(load);
  const set = useCallback((value: DeskContribution) => setState({ status: 'ready', value }), [setState]);
  const reloadVisibly = useCallback(() => {
    setState({ status: 'loading' });
    reload();
  }, [reload, setState]);
  const markMissing = useCallback(() => setState({ status: 'failed', problem: 'missing' }), [setState]);
  return { state, set, reload: reloadVisibly, markMissing };
}

type Neighbours = Readonly<{
  previous: DeskItem | undefined;
  next: DeskItem | undefined;
  /** Updates the list the contribution was opened from. */
  dispatch: (event: ListingEvent) => void;
}>;

/** Finds the neighbours of a contribution in the list it was opened from. */
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
