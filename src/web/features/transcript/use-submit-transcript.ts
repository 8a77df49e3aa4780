import { useRef, useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { getContributionClient } from '#web/submission/keys.ts';
import { limitMessage } from '#web/submission/texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import type { KeepHandle } from '#web/submission/outbox/use-keep-on-device.ts';
import { saveEditedTranscript, type EditedOutcome } from '#web/submission/saving.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast, type ShowToast } from '#web/ui/toast.tsx';
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
  const busy = useRef(false);
  const [saving, setSaving] = useState(false);

  const save = async (transcript: string): Promise<void> => {
    if (interviewId === undefined) return toast(texts.noId);
    // What has begun to go by the outbox goes on that way, or an older text would arrive after this one.
    const kept = keeping.entry !== undefined && (await keeping.keep([{ kind: 'transcript', text: transcript }]));
    if (kept) return toast(texts.inOutbox);
    toast(
      TOAST_OF[
        await saveEditedTranscript(getContributionClient(backend, interviewId), {
          interviewId,
          transcript,
          now: new Date(),
        })
      ],
    );
  };
  const submit = async (transcript: string): Promise<void> => {
    if (busy.current) return;
    if (transcript.trim() === '') return toast({ ...texts.nothing, variant: 'destructive' });
    busy.current = true;
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
