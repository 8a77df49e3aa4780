import { useMemo, useRef } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { probeBackend, statusOf, type BackendStatus } from '#web/backend/status.ts';
import { resolveContentId, type ContentId } from './content-id.ts';
import { exchangedId } from './exchange.ts';
import { useFlow } from './flow.ts';
import type { ContentKind } from './local-id.ts';
import { ownerHere } from './outbox/owner.ts';
import { browserOutbox } from './outbox/outbox.ts';
import { useOutbox } from './outbox/use-outbox.ts';
import { submissionStore, type SubmissionStore } from './store.ts';

export type Submission = Readonly<{
  store: SubmissionStore;
  /** From the navigation state, else from session storage; makes nothing. */
  currentId: () => string | undefined;
  /** §4 'Interview id resolution'. Calls at the same time get the same id. */
  ensureId: (kind: ContentKind) => Promise<ContentId>;
  /** The database's id in place of a local one that the outbox has exchanged meanwhile. */
  latestId: (id: string) => string;
}>;

/** The contribution this screen works on. The screen is drawn anew when its local id has been exchanged. */
export function useSubmission(): Submission {
  const { area, state } = useFlow();
  const backend = useBackend();
  const store = useMemo(() => submissionStore(area.storageKeys), [area]);
  const running = useRef<Promise<ContentId> | undefined>(undefined);
  const owner = ownerHere(backend.config);
  useOutbox(owner);
  const fromState = state.interviewId;
  return useMemo(() => {
    const checkStatus = async (): Promise<BackendStatus> => statusOf(await probeBackend(backend));
    const latestId = (id: string): string => {
      const real = exchangedId(id, browserOutbox().entriesOf(owner) ?? []);
      if (real !== id) store.exchange(id, real);
      return real;
    };
    const latestOf = (id: string | undefined) => (id === undefined ? undefined : latestId(id));
    return {
      store,
      latestId,
      currentId: () => latestOf(fromState ?? store.interviewId()),
      ensureId: (kind) => {
        latestOf(store.interviewId());
        const deps = { area, backend, store, checkStatus, now: () => new Date() };
        const wish = { fromState: latestOf(fromState), kind, requireNew: needsNewId(store) };
        running.current ??= resolveContentId(deps, wish).finally(() => {
          running.current = undefined;
        });
        return running.current;
      },
    };
  }, [area, backend, store, owner, fromState]);
}

/**
 * A stored id that already has its transcript or its W-answers belongs to an earlier contribution, which must not be
 * overwritten.
 */
function needsNewId(store: SubmissionStore): boolean {
  const stored = store.interviewId();
  return stored !== undefined && (stored === store.transcriptInterviewId() || stored === store.describedInterviewId());
}
