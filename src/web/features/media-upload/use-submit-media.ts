import { useState } from 'react';
import { REDIRECT_AFTER_IMAGES_MS } from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import { fileTexts } from '#web/submission/file-texts.ts';
import { useFlow } from '#web/submission/flow.ts';
import { holdParts } from '#web/submission/held.ts';
import { numericId } from '#web/submission/local-id.ts';
import { filePartsOf } from '#web/submission/outbox/file-parts.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { useAttempts, type Ending } from '#web/submission/use-attempts.ts';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import type { ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useDelayed } from '#web/submission/use-delayed.ts';
import { useFileUpload } from '#web/submission/use-file-upload.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { partOf, saveDescription, type Description } from './description.ts';
import { failureToast, isUnreachable, problemToast } from './failures.ts';
import { KINDS, texts, type MediaKind } from './texts.ts';

type SubmitOptions = Readonly<{ kind: MediaKind; chosen: ChosenFiles; onDone: () => void }>;

/** §4 'Video and image flow': row, description, file, metadata, thank-you. A second submit meanwhile is ignored. */
export function useSubmitMedia({ kind, chosen, onDone }: SubmitOptions) {
  const backend = useBackend();
  const toast = useToast();
  const upload = useFileUpload(chosen);
  const { contentId, ensure } = useMediaContent();
  const keeping = useKeepOnDevice(contentId);
  const moveOn = useMoveOn(chosen, onDone);
  const partsOf = (description: Description) => [partOf(description), ...filePartsOf(chosen.files)];

  const end = (interviewId: string, uploaded: 'uploaded' | 'kept'): Ending => {
    upload.setStatus('done');
    moveOn(interviewId, uploaded);
    return 'over';
  };
  const keep = async (description: Description): Promise<Ending> => {
    const interviewId = await ensure(description.type);
    if (!(await keeping.keep(partsOf(description), interviewId))) return 'failed';
    toast(texts.inOutbox);
    return end(interviewId, 'kept');
  };
  const keepInMemory = async (interviewId: string, description: Description): Promise<Ending> => {
    holdParts(interviewId, partsOf(description));
    await upload.keepLocally();
    toast({ ...texts.local, variant: 'caution' });
    return end(interviewId, 'kept');
  };
  const send = async (description: Description): Promise<Ending> => {
    const interviewId = await ensure(description.type);
    const outcome = await saveDescription(backend, interviewId, description);
    if (outcome === 'saved' && description.type === 'text') toast({ ...KINDS[kind].descriptionSaved, variant: 'good' });
    const id = numericId(interviewId);
    if (id === undefined) return keepInMemory(interviewId, description);
    const { failed } = await upload.send(id);
    if (failed.length === 0) {
      toast({ ...KINDS[kind].uploaded, variant: 'good' });
      return end(interviewId, 'uploaded');
    }
    if (failed.includes('aborted')) return 'over';
    toast({ ...failureToast(kind, failed), variant: 'destructive' });
    return failed.includes('unreachable') ? 'unreachable' : 'failed';
  };
  const guarded = (work: typeof send) => async (description: Description) => {
    upload.setStatus('preparing');
    const ending = await work(description).catch((error: unknown): Ending => {
      toast({ ...problemToast(error, kind), variant: 'destructive' });
      return isUnreachable(error) ? 'unreachable' : 'failed';
    });
    upload.rest();
    return ending;
  };
  const { status: phase } = upload.phase;
  const backendStatus = useBackendStatus();
  const idle = phase === 'idle' && chosen.files.length > 0;
  // What has begun to go by the outbox goes on that way.
  const way = guarded(keeping.entry === undefined ? send : keep);
  const attempts = useAttempts({ backendStatus, idle, send: way });
  return {
    phase: upload.phase,
    status: backendStatus.status,
    cancel: upload.cancel,
    submit: async (description: Description) => void (phase === 'done' || (await attempts.submit(description))),
    ensureInterviewId: () => ensure('interview'),
    /** 'Auf diesem Gerät sichern', where it is of use now. */
    keeping: attempts.undelivered
      ? { state: keeping.state, onKeep: (given: Description) => void attempts.attempt(given, guarded(keep)) }
      : undefined,
  };
}

/** The contribution, which is made when it is first needed (§4). */
function useMediaContent() {
  const { ensureId, latestId } = useSubmission();
  const toast = useToast();
  const [id, setId] = useState<string>();
  const ensure = async (type: Description['type']): Promise<string> => {
    const content = await ensureId(type === 'interview' ? 'image-interview' : 'plain');
    setId(content.id);
    if (content.origin === 'local') toast({ ...fileTexts.localId, variant: 'caution' });
    return content.id;
  };
  return { contentId: id === undefined ? undefined : latestId(id), ensure };
}

function useMoveOn(chosen: ChosenFiles, onDone: () => void) {
  const { go } = useFlow();
  const { store } = useSubmission();
  const later = useDelayed();
  return (interviewId: string, how: 'uploaded' | 'kept') => {
    store.keepDescribed(interviewId);
    onDone();
    const files = chosen.files.map(({ file }) => ({ path: file.name, type: file.type }));
    const state = { interviewId, uploadSuccess: how === 'uploaded', ...(how === 'uploaded' ? {} : { files }) };
    later(() => go({ to: 'thank-you', state }), REDIRECT_AFTER_IMAGES_MS);
  };
}
