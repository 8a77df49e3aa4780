import { useCallback, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { DeskColleague } from '#contract/desk.ts';
import { useBackend } from '#web/backend/client.ts';
import { connectDesk, type Desk, type DeskProblem, isRefusal } from '#web/backend/desk.ts';
import { connectDeskServer, type DeskServer } from '#web/backend/desk-server.ts';
import { useSessionStore } from '#web/backend/session.ts';

export function useDesk(): Desk {
  const backend = useBackend();
  const onProblem = useRefusalHandler();
  return useMemo(() => connectDesk(backend, onProblem), [backend, onProblem]);
}

export function useDeskServer(): DeskServer {
  const backend = useBackend();
  const onProblem = useRefusalHandler();
  return useMemo(() => connectDeskServer(backend, onProblem), [backend, onProblem]);
}

/** Checks session and role again after a refusal, so that the route guard can redirect. */
export function useRefusalHandler(): (problem: DeskProblem) => void {
  const store = useSessionStore();
  return useCallback((problem) => (isRefusal(problem) ? void store.recheck() : undefined), [store]);
}

const NO_COLLEAGUES: readonly DeskColleague[] = [];

/** Accounts that a contribution can be assigned to; empty while loading. */
export function useColleagues(): readonly DeskColleague[] {
  const desk = useDesk();
  const { data } = useQuery({
    queryKey: ['desk', 'colleagues'],
    queryFn: ({ signal }) => desk.colleagues(signal),
  });
  return data ?? NO_COLLEAGUES;
}
