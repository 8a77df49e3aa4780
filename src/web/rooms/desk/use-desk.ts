import { useEffect, useMemo, useState } from 'react';
import type { DeskColleague } from '#contract/desk.ts';
import { useBackend } from '#web/backend/client.ts';
import { connectDesk, type Desk } from '#web/backend/desk.ts';
import { connectDeskServer, type DeskServer } from '#web/backend/desk-server.ts';

export function useDesk(): Desk {
  const backend = useBackend();
  return useMemo(() => connectDesk(backend), [backend]);
}

export function useDeskServer(): DeskServer {
  const backend = useBackend();
  return useMemo(() => connectDeskServer(backend), [backend]);
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
