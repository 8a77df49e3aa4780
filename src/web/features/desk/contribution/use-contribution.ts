import { useCallback, useEffect, useState } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { deskProblemOf, type DeskProblem } from '#web/backend/desk-error.ts';
import { useDesk } from '../use-desk.ts';

export type ContributionState =
  | Readonly<{ status: 'loading' }>
  | Readonly<{ status: 'failed'; problem: DeskProblem }>
  | Readonly<{ status: 'ready'; contribution: DeskContribution }>;

export type UseContribution = Readonly<{
  state: ContributionState;
  /** What holds now, as a change answered. */
  set: (contribution: DeskContribution) => void;
  again: () => void;
  /** It was erased meanwhile: nothing of it is shown any longer. */
  gone: () => void;
}>;

export function useContribution(id: number): UseContribution {
  const desk = useDesk();
  const [state, setState] = useState<ContributionState>({ status: 'loading' });
  const [wish, setWish] = useState({ id });
  if (wish.id !== id) setWish({ id });
  useEffect(() => {
    const left = new AbortController();
    desk.contribution(wish.id, left.signal).then(
      (contribution) => (left.signal.aborted ? undefined : setState({ status: 'ready', contribution })),
      (error: unknown) =>
        left.signal.aborted ? undefined : setState({ status: 'failed', problem: deskProblemOf(error) }),
    );
    return () => left.abort();
  }, [desk, wish]);
  const set = useCallback((contribution: DeskContribution) => setState({ status: 'ready', contribution }), []);
  const again = useCallback(() => {
    setState({ status: 'loading' });
    setWish({ id });
  }, [id]);
  const gone = useCallback(() => setState({ status: 'failed', problem: 'missing' }), []);
  return { state, set, again, gone };
}
