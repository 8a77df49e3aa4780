import { useCallback, useEffect, useMemo, useState } from 'react';
import type { DeskColleague } from '#contract/desk.ts';
import { useBackend } from '#web/backend/client.ts';
import { isRefusal, type DeskProblem } from '#web/backend/desk-error.ts';
import { connectDeskServer, type DeskServer } from '#web/backend/desk-server.ts';
import { connectDesk, type Desk } from '#web/backend/desk.ts';
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

/**
 * Whoever is refused may have lost session or role meanwhile: both are looked up anew, and the guard leads where it
 * belongs.
 */
function useRefusalHandler(): (problem: DeskProblem) => void {
  const store = useSessionStore();
  return useCallback((problem) => (isRefusal(problem) ? void store.recheck() : undefined), [store]);
}

/** Whom a contribution may be assigned to; nobody until they are known. */
export function useColleagues(): readonly DeskColleague[] {
  const desk = useDesk();
  const [colleagues, setColleagues] = useState<readonly DeskColleague[]>([]);
  useEffect(() => {
    const left = new AbortController();
    desk.colleagues(left.signal).then(
      (found) => (left.signal.aborted ? undefined : setColleagues(found)),
      () => undefined,
    );
    return () => left.abort();
  }, [desk]);
  return colleagues;
}
