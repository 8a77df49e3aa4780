import { useState } from 'react';
import { REDIRECT_AFTER_IMAGES_MS } from '#contract/limits.ts';
import { useBackendLoader } from '#web/backend/client.ts';
import type { WAnswers } from '#web/backend/w-questions.ts';
import { describeUploadFailure, fileTexts, limitMessage } from '#web/submission/texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import { openSending } from '#web/submission/load-sending.ts';
import type { PartDraft } from '#web/submission/outbox/entry.ts';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import { nameChosenFiles, type ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useDelayed } from '#web/submission/use-running-work.ts';
import { judgeAllOrNothing, useFileSubmission } from '#web/submission/use-file-submission.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { KINDS, texts, type MediaKind } from './texts.ts';

/** §2.9: how the W-questions were answered. */
type Description = Readonly<{ type: 'text'; answers: WAnswers }> | Readonly<{ type: 'interview'; transcript: string }>;

/** `cause` says why. */
class DescriptionError extends Error {
  constructor(cause: unknown) {
    super('the description was not saved', { cause });
  }
}

type SubmitOptions = Readonly<{ kind: MediaKind; chosen: ChosenFiles; onDone: () => void }>;

/** §4 'Video and image flow': row, description, file, metadata, thank-you. */
export function useSubmitMedia({ kind, chosen, onDone }: SubmitOptions) {
  const loadBackend = useBackendLoader();
  const toast = useToast();
  const { ensureId, latestId } = useSubmission();
  const [id, setId] = useState<string>();
  const backendStatus = useBackendStatus();
  const ensure = async (type: Description['type']) => {
    const content = await ensureId(type === 'interview' ? 'image-interview' : 'plain');
    setId(content.id);
    return content;
  };
  const submission = useFileSubmission<Description>({
    chosen,
    backendStatus,
    contentId: id === undefined ? undefined : latestId(id),
    ensureId: ({ type }) => ensure(type),
    saveFirst: async (interviewId, description) => {
      const outcome = await saveDescription(loadBackend, interviewId, description);
      const said = outcome === 'saved' && description.type === 'text';
      if (said) toast({ ...KINDS[kind].descriptionSaved, variant: 'good' });
    },
    listOtherParts: (description) => [toPart(description)],
    toast,
    messages: { inOutbox: texts.inOutbox, local: { ...texts.local, variant: 'caution' } },
    judge: (outcome) => judge(outcome, kind),
    describeError: (error) => describeProblem(error, kind),
    leave: useLeave(chosen, onDone),
  });
  return {
    ...submission,
    status: backendStatus.status,
    ensureInterviewId: async () => {
      const content = await ensure('interview');
      if (content.origin === 'local') toast({ ...fileTexts.localId, variant: 'caution' });
      return content.id;
    },
  };
}

function judge(outcome: Parameters<typeof judgeAllOrNothing>[0], kind: MediaKind) {
  const { uploaded, uploadFailed } = KINDS[kind];
  return judgeAllOrNothing(outcome, uploaded, (failed) => describeUploadFailure(failed, uploadFailed));
}

/** §8: what went wrong before the file was sent. */
function describeProblem(error: unknown, kind: MediaKind) {
  const isDescription = error instanceof DescriptionError;
  const limit = limitMessage(isDescription ? error.cause : error);
  return limit ?? (isDescription ? KINDS[kind].descriptionFailed : KINDS[kind].uploadFailed);
}

/** 'kept' for a local id: then it is in this browser only. Throws DescriptionError. */
async function saveDescription(
  loadBackend: ReturnType<typeof useBackendLoader>,
  interviewId: string,
  description: Description,
) {
  try {
    const { client, saveSpokenTranscript, saveWAnswers } = await openSending(loadBackend, interviewId);
    if (description.type === 'text') return await saveWAnswers(client, interviewId, description.answers);
    return await saveSpokenTranscript(client, interviewId, description.transcript, new Date());
  } catch (error) {
    throw new DescriptionError(error);
  }
}

function toPart(description: Description): PartDraft {
  if (description.type === 'text') return { kind: 'answers', answers: description.answers };
  return { kind: 'transcript', text: description.transcript };
}

function useLeave({ files }: ChosenFiles, onDone: () => void) {
  const { go } = useFlow();
  const { store } = useSubmission();
  const later = useDelayed();
  return (interviewId: string, how: 'uploaded' | 'kept' | 'held') => {
    store.keepDescribed(interviewId);
    onDone();
    const arrived = how === 'uploaded';
    const state = { interviewId, uploadSuccess: arrived, ...(arrived ? {} : { files: nameChosenFiles(files) }) };
    later(() => go({ to: 'thank-you', state }), REDIRECT_AFTER_IMAGES_MS);
  };
}
