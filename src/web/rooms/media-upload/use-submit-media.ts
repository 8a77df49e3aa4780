import { useRef } from 'react';
import { REDIRECT_AFTER_IMAGES_MS } from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import type { WAnswers } from '#web/backend/interviews.ts';
import { fileTexts } from '#web/submission/file-texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import { numericId } from '#web/submission/local-id.ts';
import { saveSpokenTranscript } from '#web/submission/transcripts.ts';
import type { ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useDelayed } from '#web/submission/use-delayed.ts';
import { useFileUpload } from '#web/submission/use-file-upload.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { saveWAnswers } from '#web/submission/w-answers.ts';
import { useToast, type ShowToast } from '#web/ui/toast.tsx';
import { KINDS, texts, type MediaKind } from './texts.ts';

export type Description =
  | Readonly<{ type: 'text'; answers: WAnswers }>
  | Readonly<{ type: 'interview'; transcript: string }>;

type SubmitOptions = Readonly<{ kind: MediaKind; chosen: ChosenFiles; onDone: () => void }>;

/** §4 'Video and image flow': row, description, file, metadata, thank-you. A second submit meanwhile is ignored. */
export function useSubmitMedia({ kind, chosen, onDone }: SubmitOptions) {
  const backend = useBackend();
  const { go } = useFlow();
  const { store, ensureId } = useSubmission();
  const toast = useToast();
  const later = useDelayed();
  const upload = useFileUpload(chosen);
  const busy = useRef(false);

  const moveOn = (interviewId: string, uploaded: boolean) => {
    store.keepDescribed(interviewId);
    onDone();
    upload.setStatus('done');
    const files = chosen.files.map(({ file }) => ({ path: file.name, type: file.type }));
    const state = { interviewId, uploadSuccess: uploaded, ...(uploaded ? {} : { files }) };
    later(() => go({ to: 'thank-you', state }), REDIRECT_AFTER_IMAGES_MS);
  };
  const ensure = async (type: Description['type']) => {
    const content = await ensureId(type === 'interview' ? 'image-interview' : 'plain');
    if (content.origin === 'local') toast({ ...fileTexts.localId, variant: 'caution' });
    return content.id;
  };
  const describe = async (interviewId: string, description: Description) => {
    if (description.type === 'interview')
      return saveSpokenTranscript(backend, interviewId, description.transcript, new Date());
    const outcome = await saveWAnswers(backend, interviewId, description.answers);
    if (outcome === 'saved') toast({ ...KINDS[kind].descriptionSaved, variant: 'good' });
    return outcome;
  };
  const run = async (description: Description): Promise<void> => {
    const interviewId = await ensure(description.type);
    await describe(interviewId, description).catch((error: unknown) => {
      throw new DescriptionFailed(error);
    });
    const id = numericId(interviewId);
    if (id === undefined) {
      await upload.keepLocally();
      toast({ ...texts.local, variant: 'caution' });
      return moveOn(interviewId, false);
    }
    const { failed } = await upload.send(id);
    if (failed.length === 0) {
      toast({ ...KINDS[kind].uploaded, variant: 'good' });
      return moveOn(interviewId, true);
    }
    upload.setStatus('idle');
    if (!failed.includes('aborted')) toast({ ...failureToast(kind, failed), variant: 'destructive' });
  };
  const submit = async (description: Description): Promise<void> => {
    if (busy.current || upload.phase.status === 'done') return;
    busy.current = true;
    upload.setStatus('preparing');
    await run(description)
      .catch((error: unknown) => {
        upload.setStatus('idle');
        toast({ ...messageOf(error, kind), variant: 'destructive' });
      })
      .finally(() => {
        busy.current = false;
      });
  };
  return { phase: upload.phase, cancel: upload.cancel, submit, ensureInterviewId: () => ensure('interview') };
}

class DescriptionFailed extends Error {
  constructor(cause: unknown) {
    super('the description was not saved', { cause });
  }
}

function failureToast(kind: MediaKind, failed: readonly BackendError['kind'][]): Parameters<ShowToast>[0] {
  if (failed.includes('no-bucket')) return fileTexts.bucketFailed;
  return failed.includes('refused') ? fileTexts.accessRestricted : KINDS[kind].uploadFailed;
}

function messageOf(error: unknown, kind: MediaKind): Parameters<ShowToast>[0] {
  const described = error instanceof DescriptionFailed;
  const cause = described ? error.cause : error;
  console.error('media: not submitted', cause instanceof BackendError ? cause.kind : '');
  return described ? KINDS[kind].descriptionFailed : KINDS[kind].uploadFailed;
}
