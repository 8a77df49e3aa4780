import { useState } from 'react';
import type { WAnswers } from '#web/backend/interviews.ts';
import { useFlow } from '#web/submission/flow.ts';
import { EMPTY_DRAFT, forgetDraft, readDraft, writeDraft } from './draft.ts';
import type { MediaKind } from './texts.ts';

/** The description so far, kept with every key stroke. */
export function useMediaDraft(kind: MediaKind) {
  const { area } = useFlow();
  const place = { area: area.id, kind };
  const [draft, setDraft] = useState(() => readDraft(place));
  const [found] = useState(() => Object.values(draft.answers).some((answer) => answer.trim() !== ''));
  const keep = (next: typeof draft) => {
    setDraft(next);
    writeDraft(place, next);
  };
  return {
    answers: draft.answers,
    transcript: draft.transcript,
    /** Whether this screen was opened with answers from before. */
    found,
    answer: (answers: WAnswers) => keep({ ...draft, answers }),
    say: (transcript: string) => keep({ ...draft, transcript }),
    forget: () => {
      setDraft(EMPTY_DRAFT);
      forgetDraft(place);
    },
  };
}
