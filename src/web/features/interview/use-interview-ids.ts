import { useMemo, useRef } from 'react';
import type { Topic } from '#contract/topics.ts';
import { useFlow } from '#web/submission/flow.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';
import type { InterviewIds } from './use-interview.ts';

/**
 * Creates the row on connect if there is no id yet; on failure uses a local id, with a notice (§4, §8). One id for the
 * life of the screen; `kept` is the id of a resumed interview.
 */
export function useInterviewIds(topic: Topic, kept: string | undefined): InterviewIds {
  const { state } = useFlow();
  const { store, ensureId, latestId } = useSubmission();
  const toast = useToast();
  const currentId = useRef(kept);
  return useMemo(() => {
    const readUnusedId = (): string | undefined => {
      const stored = store.interviewId();
      // An id whose transcript is stored belongs to an earlier contribution.
      return stored === store.transcriptInterviewId() ? undefined : stored;
    };
    return {
      known: () => {
        const id = currentId.current ?? state.interviewId ?? readUnusedId();
        return id === undefined ? undefined : latestId(id);
      },
      ensure: async () => {
        if (currentId.current !== undefined) return latestId(currentId.current);
        try {
          const content = await ensureId(topic);
          if (content.origin === 'local') toast(texts.localId);
          currentId.current = content.id;
        } catch (error) {
          console.error('interview: no id', error instanceof Error ? error.name : '');
          toast({ ...texts.idProblem, variant: 'destructive' });
        }
        return currentId.current;
      },
    };
  }, [state.interviewId, store, ensureId, latestId, toast, topic]);
}
