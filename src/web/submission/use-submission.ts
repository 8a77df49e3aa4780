import { useMemo, useRef } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { probeBackend, statusOf, type BackendStatus } from '#web/backend/status.ts';
import { resolveContentId, type ContentId } from './content-id.ts';
import { useFlow } from './flow.ts';
import { adoptKeyOf } from './keys.ts';
import type { ContentKind } from './local-id.ts';
import { submissionStore, type SubmissionStore } from './store.ts';

export type Submission = Readonly<{
  store: SubmissionStore;
  /** From the navigation state, else from session storage; nothing is made. Calls that follow carry its key (D9). */
  currentId: () => string | undefined;
  /** §4 'Interview id resolution'. Calls at the same time get the same id. */
  ensureId: (kind: ContentKind) => Promise<ContentId>;
}>;

/** The contribution this screen works on. */
export function useSubmission(): Submission {
  const { area, state } = useFlow();
  const backend = useBackend();
  const store = useMemo(() => submissionStore(area.storageKeys), [area]);
  const running = useRef<Promise<ContentId> | undefined>(undefined);
  const fromState = state.interviewId;
  return useMemo(() => {
    const checkStatus = async (): Promise<BackendStatus> => statusOf(await probeBackend(backend));
    return {
      store,
      currentId: () => {
        const id = fromState ?? store.interviewId();
        if (id !== undefined) adoptKeyOf(id);
        return id;
      },
      ensureId: (kind) => {
        const deps = { area, backend, store, checkStatus, now: () => new Date() };
        const wish = { fromState, kind, requireNew: needsNewId(store) };
        running.current ??= resolveContentId(deps, wish).finally(() => {
          running.current = undefined;
        });
        return running.current;
      },
    };
  }, [area, backend, store, fromState]);
}

/** A stored id that already has its transcript or its W-answers belongs to an earlier contribution, which must not be overwritten. */
function needsNewId(store: SubmissionStore): boolean {
  const stored = store.interviewId();
  return stored !== undefined && (stored === store.transcriptInterviewId() || stored === store.describedInterviewId());
}
