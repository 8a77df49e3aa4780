import type { Area } from '#contract/areas.ts';
import { REDIRECT_AFTER_IMAGES_MS } from '#contract/limits.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import type { StoredFile } from '#web/backend/media.ts';
import { selectFiles } from '#web/submission/file-kind.ts';
import { type FlowState, useFlow } from '#web/submission/flow.ts';
import { getHeldFiles, holdParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { fileTexts, selectionMessage } from '#web/submission/texts.ts';
import type { BackendStatusHandle } from '#web/submission/use-backend-status.ts';
import { type ChosenFiles, listStaying, nameChosenFiles, useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { type UploadVerdict, useFileSubmission } from '#web/submission/use-file-submission.ts';
import type { UploadOutcome } from '#web/submission/use-file-upload.ts';
import { useDelayed } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

/** Sends the chosen images and moves on after 1 s (§2.8). */
export function useImageUpload(chosen: ChosenFiles, backendStatus: BackendStatusHandle) {
  const { area, go } = useFlow();
  const { currentId, ensureId } = useSubmission();
  const toast = useToast();
  const later = useDelayed();
  const test = area.variant === 'test';
  const arrived = listArrived(chosen);
  const submission = useFileSubmission<string>({
    chosen,
    backendStatus,
    contentId: currentId(),
    ensureId: (id) => ensureId('plain', id),
    toast,
    messages: { inOutbox: texts.inOutbox, local: texts.local },
    judge: (outcome, interviewId) =>
      judgeImages(outcome, interviewId, { before: arrived.length, failure: test ? texts.failedTest : texts.failed }),
    describeError: () => texts.unexpected,
    leave: (interviewId, how, stored) => {
      const uploaded = how === 'uploaded';
      const files = uploaded ? [...arrived, ...stored] : nameChosenFiles(chosen.files);
      const state = stateAfterUpload(area, { interviewId, files, uploaded });
      later(() => go({ to: 'thank-you', state }), REDIRECT_AFTER_IMAGES_MS);
    },
  });
  const withId = (attempt: (interviewId: string) => unknown) => {
    const interviewId = currentId();
    if (interviewId === undefined) toast({ ...(test ? texts.noIdTest : texts.noId), variant: 'destructive' });
    else void attempt(interviewId);
  };
  return {
    ...submission,
    submit: () =>
      chosen.files.length === 0 ? toast({ ...texts.noFiles, variant: 'destructive' }) : withId(submission.submit),
    keep: () => withId(submission.keep),
    skip: () => {
      const state = stateAfterUpload(area, { interviewId: currentId(), files: arrived, uploaded: arrived.length > 0 });
      go({ to: 'thank-you', state });
    },
  };
}

/** Before an upload was stopped. */
function listArrived({ files }: ChosenFiles): readonly StoredFile[] {
  return files.flatMap(({ state, path, file }) =>
    state === 'done' && path !== undefined ? [{ path, type: file.type }] : [],
  );
}

/** Goes on with the images that have arrived; only the others are held. */
function judgeImages(
  { stored, failed, left }: UploadOutcome,
  interviewId: string,
  { before, failure }: Readonly<{ before: number; failure: Readonly<{ title: string; description: string }> }>,
): UploadVerdict {
  if (failed.includes('aborted')) return { ending: 'over', message: undefined };
  if (stored.length === 0 && failed.length > 0) {
    const ending = failed.includes('unreachable') ? 'unreachable' : 'failed';
    return { ending, message: { ...failure, variant: 'destructive' } };
  }
  holdParts(interviewId, left);
  const count = before + stored.length;
  if (failed.length === 0) return { ending: 'arrived', message: { ...texts.success(count), variant: 'good' } };
  const message = fileTexts.partial(count, count + failed.length);
  return { ending: 'arrived', message: { ...message, variant: 'caution' } };
}

type UploadEnd = Readonly<{
  interviewId: string | undefined;
  files: readonly StoredFile[];
  /** False where none arrived: they were skipped, or stayed in this browser. */
  uploaded: boolean;
}>;

/** §2.8: `{interviewId, uploadSuccess}`; in the test area `{hasImages, files}`. */
function stateAfterUpload(area: Area, { interviewId, files, uploaded }: UploadEnd): FlowState {
  if (area.variant === 'test') return { hasImages: files.length > 0, files };
  return { interviewId, uploadSuccess: uploaded };
}

/** The images chosen on this screen, beginning with those that could not be sent before. */
export function useChosenImages(maxFiles: number, interviewId: string | undefined) {
  const { limits } = useBackendConfig();
  const toast = useToast();
  const chosen = useChosenFiles(`image-upload-after-voice:${interviewId ?? ''}`, getHeldFiles(interviewId));
  const take = (added: readonly File[]) => {
    const selected = listStaying(chosen.files, added).map(({ file }) => file);
    const { accepted, problems } = selectFiles(selected, added, { maxFiles, kinds: 'images', limits });
    if (accepted.length > 0) (maxFiles === 1 ? chosen.replace : chosen.add)(accepted);
    const [first] = problems;
    if (first === undefined) return;
    const isHeic = first.type === 'wrong-type' && problems.some((one) => one.type === 'wrong-type' && one.heic);
    const { title, description } = selectionMessage(first, limits, maxFiles === 1 ? texts.tooManyOne : texts.tooMany);
    toast({ title, description: isHeic ? `${description} ${fileTexts.heic}` : description, variant: 'destructive' });
  };
  return { chosen, take };
}
