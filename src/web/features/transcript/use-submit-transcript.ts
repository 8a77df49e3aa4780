import { useRef, useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { useFlow } from '#web/submission/flow.ts';
import { getContributionClient } from '#web/submission/contribution-client.ts';
import type { KeepHandle } from '#web/submission/outbox/use-keep-on-device.ts';
import { type EditedOutcome, saveEditedTranscript } from '#web/submission/saving.ts';
import { limitMessage } from '#web/submission/texts.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { type ShowToast, useClearMessage, useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

const TOAST_OF: Readonly<Record<EditedOutcome, Parameters<ShowToast>[0]>> = {
  saved: { ...texts.saved, variant: 'good' },
  kept: texts.kept,
  partial: texts.partial,
};

/** §4 'Transcript edit': saves and moves on, even where saving only partly worked. Ignores a second submit. */
export function useSubmitTranscript(interviewId: string | undefined, keeping: KeepHandle) {
  const backend = useBackend();
  const { go } = useFlow();
  const { store } = useSubmission();
  const toast = useToast();
  const clearMessage = useClearMessage();
  const busy = useRef(false);
  const [saving, setSaving] = useState(false);

  const save = async (transcript: string): Promise<void> => {
    if (interviewId === undefined) return toast(texts.noId);
    // What has begun to go by the outbox goes on that way, or an older text would arrive after this one.
    const kept = keeping.entry !== undefined && (await keeping.keep([{ kind: 'transcript', text: transcript }]));
    if (kept) return toast(texts.inOutbox);
    const client = getContributionClient(backend, interviewId);
    toast(TOAST_OF[await saveEditedTranscript(client, { interviewId, transcript, now: new Date() })]);
  };
  const submit = async (transcript: string): Promise<void> => {
    if (busy.current) return;
    if (transcript.trim() === '') return toast({ ...texts.nothing, variant: 'destructive' });
    busy.current = true;
    clearMessage();
    setSaving(true);
    try {
      store.keepTranscript(transcript, interviewId);
      await save(transcript);
      go({ to: 'image-upload-after-voice', state: interviewId === undefined ? {} : { interviewId } });
    } catch (error) {
      console.error('transcript: not submitted', error instanceof Error ? error.name : '');
      toast({ ...(limitMessage(error) ?? texts.failed), variant: 'destructive' });
    } finally {
      busy.current = false;
      setSaving(false);
    }
  };
  return { saving, submit };
}

type TranscriptDraft = Readonly<{
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
