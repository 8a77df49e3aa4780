import { useMemo, useRef } from 'react';
import type { Topic } from '#contract/topics.ts';
import { useFlow } from '#web/submission/flow.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';
import type { InterviewIds } from './use-interview.ts';

/**
 * §4: the row is made on connect if there is no id yet; on failure a local id is used, with a notice (§8). One id a
 * visit; `kept` is that of an interview to go on with.
 */
export function useInterviewIds(topic: Topic, kept: string | undefined): InterviewIds {
  const { state } = useFlow();
  const { store, ensureId, latestId } = useSubmission();
  const toast = useToast();
  const own = useRef(kept);
  return useMemo(() => {
    const fresh = (): string | undefined => {
      const stored = store.interviewId();
      // One that has its transcript already belongs to an earlier contribution.
      return stored === store.transcriptInterviewId() ? undefined : stored;
    };
    return {
      known: () => {
        const id = own.current ?? state.interviewId ?? fresh();
        return id === undefined ? undefined : latestId(id);
      },
      ensure: async () => {
        if (own.current !== undefined) return latestId(own.current);
        try {
          const content = await ensureId(topic);
          if (content.origin === 'local') toast(texts.localId);
          own.current = content.id;
        } catch (error) {
          console.error('interview: no id', error instanceof Error ? error.name : '');
          toast({ ...texts.idProblem, variant: 'destructive' });
        }
        return own.current;
      },
    };
  }, [state.interviewId, store, ensureId, latestId, toast, topic]);
}
