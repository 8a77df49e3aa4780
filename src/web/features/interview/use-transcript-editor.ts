import { useState } from 'react';
import { useRunningWork, useShown } from '#web/submission/use-running-work.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';
import type { InterviewHandle } from './use-interview.ts';

export type TranscriptEditor = ReturnType<typeof useTranscriptEditor>;

/** `onEdit` tells whether the text is where it belongs; the editor stays open until then. */
export function useTranscriptEditor(
  { interview, dialogue: { draft, transcript } }: InterviewHandle,
  onEdit: (transcript: string) => Promise<boolean>,
) {
  const toast = useToast();
  const shown = useShown();
  const [saving, setSaving] = useState(false);
  useRunningWork(saving);
  /** Tells whether the correction is where it belongs. Never rejects. */
  const save = async (): Promise<boolean> => {
    const text = draft?.trim() ?? '';
    if (text === '') {
      toast({ ...texts.nothing, variant: 'destructive' });
      return false;
    }
    setSaving(true);
    const saved = await onEdit(text);
    setSaving(false);
    if (saved) interview.draft(undefined);
    return saved;
  };
  /**
   * Saves the correction, then leaves by `go`. Where saving fails, the screen says so and stays; the next press leaves,
   * because the text is in the transcript by then, which is kept when the screen is left (decision 0352).
   */
  const saveAndGo = (go: () => void): void => {
    if (saving) return;
    if (draft === undefined || draft.trim() === transcript) return go();
    void save().then((saved) => saved && shown.current && go());
  };
  return { saving, save, saveAndGo };
}
