import { useMemo, useRef } from 'react';
import type { Topic } from '#contract/areas.ts';
import { useFlow } from '#web/submission/flow.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import type { KeptInterviewStore } from './kept-interview.ts';
import { texts } from './texts.ts';
import type { InterviewIds } from './use-interview.ts';

/**
 * Creates the row on connect if there is no id yet; on failure uses a local id, with a notice (§4, §8). One id for the
 * life of the screen, also where the one before this screen still waited for it.
 */
export function useInterviewIds(topic: Topic, keptStore: KeptInterviewStore): InterviewIds {
  const { state } = useFlow();
  const { store, ensureId, exchangeIfKnown } = useSubmission();
  const toast = useToast();
  const currentId = useRef<string>(undefined);
  return useMemo(() => {
    const find = (): string | undefined => (currentId.current ??= keptStore.read()?.interviewId);
    return {
      known: () => {
        const id = find() ?? state.interviewId ?? store.openInterviewId();
        return id === undefined ? undefined : exchangeIfKnown(id);
      },
      ensure: async () => {
        try {
          const content = await ensureId(topic, find());
          if (content.source === 'local') toast(texts.localId);
          currentId.current = content.id;
          keptStore.keepId(content.id);
        } catch (error) {
          console.error('interview: no id', error instanceof Error ? error.name : '');
          toast({ ...texts.idProblem, variant: 'destructive' });
        }
        return currentId.current;
      },
    };
  }, [state.interviewId, store, ensureId, exchangeIfKnown, toast, topic, keptStore]);
}
