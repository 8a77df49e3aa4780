import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Limits } from '#contract/app-config.ts';
import type { Area } from '#contract/areas.ts';
import {
  IMAGES_AFTER_VOICE_GENERIC_MAX,
  IMAGES_AFTER_VOICE_TEST_AREA_MAX,
  REDIRECT_AFTER_IMAGES_MS,
} from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import type { StoredFile } from '#web/backend/media.ts';
import { useFlow, useStep, type FlowState } from '#web/submission/flow.ts';
import { ImageRightsQuestion } from '#web/submission/image-rights.tsx';
import { isLocalId } from '#web/submission/local-id.ts';
import { holdParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { selectFiles, type SelectionProblem } from '#web/submission/select-files.ts';
import { fileTexts, shortName, sizeMessage } from '#web/submission/texts.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { ChosenFileList } from '#web/submission/upload-view.tsx';
import { useBackendStatus, type BackendStatusHandle } from '#web/submission/use-backend-status.ts';
import { type ChosenFiles, nameChosenFiles, useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { type UploadVerdict, useFileSubmission } from '#web/submission/use-file-submission.ts';
import type { UploadPhase, UploadOutcome } from '#web/submission/use-file-upload.ts';
import { useLeaveWarning, useDelayed } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { Button } from '#web/ui/button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { useToast, type ShowToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

/** §2.8, both variants. */
export function ImageUploadAfterVoiceScreen(): ReactNode {
  const { area, go } = useFlow();
  const { currentId } = useSubmission();
  const step = useStep('images');
  // The id on entry: one that vanishes meanwhile is reported when it is needed.
  const [interviewId] = useState(currentId);
  const test = area.variant === 'test';
  const maxFiles = test ? IMAGES_AFTER_VOICE_TEST_AREA_MAX : IMAGES_AFTER_VOICE_GENERIC_MAX;
  const maxBytes = useBackend().config.limits.imageBytes;
  const { chosen, take } = useChosenImages(maxFiles, interviewId);
  const backendStatus = useBackendStatus();
  const upload = useImageUpload(chosen, backendStatus);
  const { phase } = upload;
  const busy = phase.status !== 'idle';
  useEntryWarning(interviewId);
  useLeaveWarning(interviewId !== undefined);
  if (test && interviewId === undefined) return null;

  const keepOffered = interviewId !== undefined && !busy && (upload.undelivered || isLocalId(interviewId));
  const skip = () =>
    go({ to: 'thank-you', state: stateAfterUpload(area, { interviewId, files: [], uploaded: false }) });
  const back = () => go({ to: 'transcript-edit', state: interviewId === undefined ? {} : { interviewId } });
  return (
    <FlowScreen
      step={step}
      title={texts.heading}
      lead={texts.lead}
      onBack={busy ? undefined : back}
      primary={
        <Button busy={busy} busyLabel={texts.uploading} onClick={upload.submit}>
          {texts.upload}
        </Button>
      }
    >
      <TrustNote />
      <Dropzone
        count={chosen.files.length}
        accept="image/jpeg,image/png,image/webp,.jpg,.jpeg,.png,.webp"
        multiple={test}
        disabled={busy}
        capture="environment"
        label={test ? texts.dropMany : texts.dropOne}
        hint={test ? texts.hintMany(maxFiles, maxBytes) : texts.hintOne(maxBytes)}
        onFiles={take}
      />
      <ChosenFileList label={texts.selected} chosen={chosen} removable={busy ? 'fixed' : 'removable'} />
      <ImageRightsQuestion chosen={chosen} disabled={busy} />
      <div className="flex justify-center">
        {phase.status === 'uploading' ? (
          <Button variant="secondary" onClick={upload.cancel}>
            {fileTexts.cancel}
          </Button>
        ) : (
          <Button variant="secondary" disabled={busy} onClick={skip}>
            {texts.skip}
          </Button>
        )}
      </div>
      {backendStatus.status === 'unavailable' && (
        <Notice tone="caution" live>
          {texts.unavailable}
        </Notice>
      )}
      {keepOffered && <KeepOnDevice state={upload.keepState} onKeep={upload.keep} outboxHref="/ausgangskorb" />}
      <Progress phase={phase} />
    </FlowScreen>
  );
}

function Progress({ phase }: Readonly<{ phase: UploadPhase }>): ReactNode {
  if (phase.status === 'idle') return null;
  if (phase.status === 'uploading') return <ProgressBar label={fileTexts.progress} percent={phase.percent} />;
  if (phase.status !== 'done') return <ProgressBar label={fileTexts.progress} />;
  return (
    <>
      <ProgressBar label={fileTexts.progress} percent={100} />
      <Notice tone="good" live>
        {texts.done}
      </Notice>
    </>
  );
}

/** §8: without an id the test area starts again; elsewhere a message appears and the user stays. */
function useEntryWarning(interviewId: string | undefined): void {
  const { area, go } = useFlow();
  const toast = useToast();
  const said = useRef(false);
  useEffect(() => {
    if (said.current || interviewId !== undefined) return;
    said.current = true;
    if (area.variant !== 'test') return toast({ ...texts.noIdOnEntry, variant: 'caution' });
    toast({ ...texts.noIdOnEntryTest, variant: 'destructive' });
    go({ to: 'home', replace: true });
  }, [interviewId, area, go, toast]);
}

/** Sends the chosen images and moves on after 1 s (§2.8). */
function useImageUpload(chosen: ChosenFiles, backendStatus: BackendStatusHandle) {
  const { area, go } = useFlow();
  const { currentId } = useSubmission();
  const toast = useToast();
  const later = useDelayed();
  const test = area.variant === 'test';
  const submission = useFileSubmission<string>({
    chosen,
    backendStatus,
    contentId: currentId(),
    ensureId: async (id) => ({ id, origin: 'session' }),
    toast,
    messages: { inOutbox: texts.inOutbox, local: texts.local },
    judge: (outcome, interviewId) => judgeImages(outcome, interviewId, test ? texts.failedTest : texts.failed),
    describeError: () => texts.unexpected,
    leave: (interviewId, how, stored) => {
      const uploaded = how === 'uploaded';
      const files = uploaded ? stored : nameChosenFiles(chosen.files);
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
  };
}

/** Goes on with the images that have arrived; the others are held. */
function judgeImages(
  { stored, failed, left }: UploadOutcome,
  interviewId: string,
  failure: Readonly<{ title: string; description: string }>,
): UploadVerdict {
  if (failed.includes('aborted')) return { ending: 'over', message: undefined };
  if (stored.length === 0) {
    const ending = failed.includes('unreachable') ? 'unreachable' : 'failed';
    return { ending, message: { ...failure, variant: 'destructive' } };
  }
  if (failed.length === 0) return { ending: 'arrived', message: { ...texts.success(stored.length), variant: 'good' } };
  holdParts(interviewId, left);
  const message = texts.partial(stored.length, stored.length + failed.length);
  return { ending: 'arrived', message: { ...message, variant: 'caution' } };
}

type UploadEnd = Readonly<{
  interviewId: string | undefined;
  files: readonly StoredFile[];
  /** False after skipping, and where the files stayed in this browser. */
  uploaded: boolean;
}>;

/** §2.8: `{interviewId, uploadSuccess}`; in the test area `{hasImages, files}`. */
function stateAfterUpload(area: Area, { interviewId, files, uploaded }: UploadEnd): FlowState {
  if (area.variant === 'test') return { hasImages: files.length > 0, files };
  return { ...(interviewId === undefined ? {} : { interviewId }), uploadSuccess: uploaded };
}

/** The images chosen on this screen. */
function useChosenImages(maxFiles: number, interviewId: string | undefined) {
  const { limits } = useBackend().config;
  const toast = useToast();
  const chosen = useChosenFiles(`image-upload-after-voice:${interviewId ?? ''}`);
  const take = (added: readonly File[]) => {
    const selected = chosen.files.map(({ file }) => file);
    const { accepted, problems } = selectFiles(selected, added, { maxFiles, kinds: 'images', limits });
    if (accepted.length > 0) (maxFiles === 1 ? chosen.replace : chosen.add)(accepted);
    const [first] = problems;
    if (first === undefined) return;
    const isHeic = problems.some((problem) => problem.type === 'wrong-type' && problem.heic);
    toast({ ...describeProblem(first, { maxFiles, limits, isHeic }), variant: 'destructive' });
  };
  return { chosen, take };
}

type Situation = Readonly<{ maxFiles: number; limits: Limits; isHeic: boolean }>;

function describeProblem(problem: SelectionProblem, { maxFiles, limits, isHeic }: Situation): Parameters<ShowToast>[0] {
  switch (problem.type) {
    case 'too-many':
      return maxFiles === 1 ? texts.tooManyOne : texts.tooMany;
    case 'duplicate':
      return texts.duplicate(shortName(problem.name));
    case 'wrong-type': {
      const { title, description } = texts.wrongType;
      return { title, description: isHeic ? `${description} ${fileTexts.heic}` : description };
    }
    default:
      return sizeMessage(problem, limits);
  }
}
