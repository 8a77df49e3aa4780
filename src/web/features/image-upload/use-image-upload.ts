import { useState } from 'react';
import { REDIRECT_AFTER_IMAGES_MS } from '#contract/limits.ts';
import type { StoredFile } from '#web/backend/media.ts';
import { useFlow } from '#web/submission/flow.ts';
import { holdParts } from '#web/submission/held.ts';
import { numericId } from '#web/submission/local-id.ts';
import { filePartsOf } from '#web/submission/outbox/file-parts.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { useAttempts, type Ending } from '#web/submission/use-attempts.ts';
import type { BackendStatusHandle } from '#web/submission/use-backend-status.ts';
import type { ChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useDelayed } from '#web/submission/use-delayed.ts';
import { useFileUpload } from '#web/submission/use-file-upload.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { afterUpload } from './after-upload.ts';
import { texts } from './texts.ts';

/** Sends the chosen images and moves on after 1 s (§2.8). A second submit meanwhile is ignored. */
export function useImageUpload(chosen: ChosenFiles, backendStatus: BackendStatusHandle) {
  const { area, go } = useFlow();
  const { currentId } = useSubmission();
  const keeping = useKeepOnDevice(currentId());
  const toast = useToast();
  const later = useDelayed();
  const upload = useFileUpload(chosen);
  const [moving, setMoving] = useState(false);
  const test = area.variant === 'test';
  const parts = filePartsOf(chosen.files);

  const moveOn = (interviewId: string, files: readonly StoredFile[], uploaded: 'uploaded' | 'kept'): Ending => {
    setMoving(true);
    const state = afterUpload(area, { interviewId, files, uploaded: uploaded === 'uploaded' });
    later(() => go({ to: 'thank-you', state }), REDIRECT_AFTER_IMAGES_MS);
    return 'over';
  };
  const named = () => chosen.files.map(({ file }) => ({ path: file.name, type: file.type }));
  /** Into the outbox, where the user has chosen that. */
  const keep = async (interviewId: string): Promise<Ending> => {
    if (!(await keeping.keep(parts, interviewId))) return 'failed';
    if (parts.length === 0) return 'over';
    toast(texts.inOutbox);
    return moveOn(interviewId, named(), 'kept');
  };
  const keepInMemory = async (interviewId: string): Promise<Ending> => {
    holdParts(interviewId, parts);
    await upload.keepLocally();
    toast(texts.local);
    return moveOn(interviewId, named(), 'kept');
  };
  const send = async (interviewId: string): Promise<Ending> => {
    const id = numericId(interviewId);
    if (id === undefined) return keepInMemory(interviewId);
    const { stored, failed, left } = await upload.send(id);
    if (failed.includes('aborted')) return 'over';
    if (stored.length === 0) {
      toast({ ...(test ? texts.failedTest : texts.failed), variant: 'destructive' });
      return failed.includes('unreachable') ? 'unreachable' : 'failed';
    }
    const message = failed.length === 0 ? texts.success(stored.length) : texts.partial(stored.length, parts.length);
    toast({ ...message, variant: failed.length === 0 ? 'good' : 'caution' });
    if (left.length > 0) holdParts(interviewId, left);
    return moveOn(interviewId, stored, 'uploaded');
  };
  const guarded = (work: typeof send) => async (interviewId: string) => {
    upload.setStatus('preparing');
    const ending = await work(interviewId).catch((error: unknown): Ending => {
      console.error('images: not uploaded', error instanceof Error ? error.name : '');
      toast({ ...texts.unexpected, variant: 'destructive' });
      return 'failed';
    });
    upload.rest();
    return ending;
  };
  const idle = upload.phase.status === 'idle' && !moving && parts.length > 0;
  // What has begun to go by the outbox goes on that way.
  const way = guarded(keeping.entry === undefined ? send : keep);
  const attempts = useAttempts({ backendStatus, idle, send: way });
  const withId = (attempt: (interviewId: string) => Promise<void>) => {
    const interviewId = currentId();
    if (interviewId === undefined) toast({ ...(test ? texts.noIdTest : texts.noId), variant: 'destructive' });
    else void attempt(interviewId);
  };
  const submit = () => {
    if (chosen.files.length === 0) return toast({ ...texts.noFiles, variant: 'destructive' });
    if (!moving) withId(attempts.submit);
  };
  return {
    phase: moving ? ({ status: 'done' } as const) : upload.phase,
    submit,
    cancel: upload.cancel,
    keepState: keeping.state,
    keep: () => withId((interviewId) => attempts.attempt(interviewId, guarded(keep))),
    undelivered: attempts.undelivered,
  };
}
