import { useRef, useState } from 'react';
import { REDIRECT_AFTER_IMAGES_MS, SIMULATED_LOCAL_SAVE_MS } from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import type { StoredFile } from '#web/backend/media.ts';
import { failureReason } from '#web/submission/file-texts.ts';
import { rememberFileName } from '#web/submission/file-names.ts';
import { mediaPath } from '#web/submission/file-path.ts';
import { useFlow } from '#web/submission/flow.ts';
import { numericId } from '#web/submission/local-id.ts';
import type { PartDraft } from '#web/submission/outbox/outbox.ts';
import type { KeepHandle } from '#web/submission/outbox/use-keep-on-device.ts';
import { sleep } from '#web/submission/retry.ts';
import { uploadFiles } from '#web/submission/uploads.ts';
import { useDelayed } from '#web/submission/use-delayed.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { afterUpload } from './after-upload.ts';
import { texts } from './texts.ts';
import type { Image, Images } from './use-images.ts';

export type UploadPhase = Readonly<{ status: 'choosing' | 'uploading' | 'done'; percent: number }>;

/** Sends the chosen images and moves on after 1 s (§2.8). A second submit meanwhile is ignored. */
export function useImageUpload({ images, update }: Images, keeping: KeepHandle) {
  const backend = useBackend();
  const { area, go } = useFlow();
  const { currentId } = useSubmission();
  const toast = useToast();
  const later = useDelayed();
  const busy = useRef(false);
  const [phase, setPhase] = useState<UploadPhase>({ status: 'choosing', percent: 0 });
  const test = area.variant === 'test';

  const moveOn = (interviewId: string, files: readonly StoredFile[], uploaded: boolean) => {
    setPhase({ status: 'done', percent: 100 });
    later(
      () => go({ to: 'thank-you', state: afterUpload(area, { interviewId, files, uploaded }) }),
      REDIRECT_AFTER_IMAGES_MS,
    );
  };
  /** Into the outbox, where the user has chosen that; false where this device has no room. */
  const keepOnDevice = async (interviewId: string, chosen: readonly Image[]): Promise<boolean> => {
    if (!(await keeping.keep(chosen.map(toPart)))) return false;
    if (chosen.length === 0) return true;
    toast(texts.inOutbox);
    moveOn(interviewId, chosen.map(({ name, file }) => ({ path: name, type: file.type })), false); // prettier-ignore
    return true;
  };
  const keepLocally = async (interviewId: string) => {
    if (keeping.entry !== undefined && (await keepOnDevice(interviewId, images))) return;
    await sleep(SIMULATED_LOCAL_SAVE_MS);
    toast(texts.local);
    moveOn(interviewId, images.map(({ name, file }) => ({ path: name, type: file.type })), false); // prettier-ignore
  };
  const send = async (interviewId: string, id: number) => {
    const named = images.map((image) => ({
      ...image,
      path: image.path ?? mediaPath(interviewId, image.file, Date.now()),
    }));
    const pathOf = new Map(named.map((image) => [image.key, image.path]));
    update(({ key }) => withPath(pathOf.get(key), { state: 'uploading' }));
    const files = named.map(({ file, path }) => ({ blob: file, path }));
    const onProgress = (fraction: number) => setPhase({ status: 'uploading', percent: fraction * 100 });
    for (const { path, name } of named) rememberFileName(path, name);
    const { stored, failed } = await uploadFiles(backend, files, { interviewId: id, onProgress });
    const reasons = new Map(failed.map(({ file, error }) => [file.path, failureReason(error.kind)]));
    update(({ key }) => ended(reasons.get(pathOf.get(key) ?? '')));
    const missing = named.filter(({ path }) => reasons.has(path));
    if (missing.length > 0 && keeping.entry !== undefined && (await keepOnDevice(interviewId, missing))) return;
    if (stored.length === 0) {
      setPhase({ status: 'choosing', percent: 0 });
      return toast({ ...(test ? texts.failedTest : texts.failed), variant: 'destructive' });
    }
    const message = failed.length === 0 ? texts.success(stored.length) : texts.partial(stored.length, files.length);
    toast({ ...message, variant: failed.length === 0 ? 'good' : 'caution' });
    moveOn(interviewId, stored, true);
  };
  const submit = async () => {
    if (busy.current || phase.status === 'done') return;
    if (images.length === 0) return toast({ ...texts.noFiles, variant: 'destructive' });
    const interviewId = currentId();
    if (interviewId === undefined) return toast({ ...(test ? texts.noIdTest : texts.noId), variant: 'destructive' });
    busy.current = true;
    setPhase({ status: 'uploading', percent: 0 });
    try {
      const id = numericId(interviewId);
      await (id === undefined ? keepLocally(interviewId) : send(interviewId, id));
    } catch (error) {
      console.error('images: not uploaded', error instanceof Error ? error.name : '');
      setPhase({ status: 'choosing', percent: 0 });
      toast({ ...texts.unexpected, variant: 'destructive' });
    } finally {
      busy.current = false;
    }
  };
  const keep = async () => {
    const interviewId = currentId();
    if (busy.current || interviewId === undefined) return;
    busy.current = true;
    const waiting = images.filter((image) => image.state !== 'done');
    await keepOnDevice(interviewId, waiting).finally(() => (busy.current = false));
  };
  return { phase, submit, keep };
}

function toPart({ file, name, path }: Image): PartDraft {
  return { kind: 'file', blob: file, name, path };
}

function withPath(path: string | undefined, change: Partial<Image>): Partial<Image> | undefined {
  return path === undefined ? undefined : { ...change, path };
}

function ended(reason: string | undefined): Partial<Image> {
  return reason === undefined ? { state: 'done' } : { state: 'failed', detail: reason };
}
