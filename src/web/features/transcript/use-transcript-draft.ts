import { useState } from 'react';
import { useFlow } from '#web/submission/flow.ts';
import { useSubmission } from '#web/submission/use-submission.ts';

export type TranscriptDraft = Readonly<{
  /** `undefined` where there is no transcript at all; '' is one still to be typed. */
  text: string | undefined;
  change: (text: string) => void;
}>;

/** Every keystroke is kept in browser storage, so that a reload or a way back loses nothing. */
export function useTranscriptDraft(interviewId: string | undefined): TranscriptDraft {
  const { state } = useFlow();
  const { store } = useSubmission();
  const [text, setText] = useState(() => {
    const draft = store.transcript();
    const ofThisOne = interviewId !== undefined && store.transcriptInterviewId() === interviewId;
    return ofThisOne ? (draft ?? state.transcript) : (state.transcript ?? draft);
  });
  const change = (next: string) => {
    setText(next);
    store.keepTranscript(next, interviewId);
  };
  return { text, change };
}
