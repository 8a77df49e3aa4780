import { type ReactNode, useEffect, useRef, useState } from 'react';
import { IMAGES_AFTER_VOICE_GENERIC_MAX, IMAGES_AFTER_VOICE_TEST_AREA_MAX } from '#contract/limits.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { ImageRightsQuestion } from '#web/submission/image-rights.tsx';
import { isLocalId } from '#web/submission/local-id.ts';
import { fileTexts } from '#web/submission/texts.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { ChosenFileList } from '#web/submission/upload-view.tsx';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import type { UploadPhase } from '#web/submission/use-file-upload.ts';
import { useLeaveWarning } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { Button } from '#web/ui/button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';
import { useChosenImages, useImageUpload } from './use-image-upload.ts';

/** §2.8, both variants. */
export function ImageUploadAfterVoiceScreen(): ReactNode {
  const { area, go } = useFlow();
  const { currentId } = useSubmission();
  const step = useStep('images');
  // The id on entry: one that vanishes meanwhile is reported when it is needed.
  const [interviewId] = useState(currentId);
  const test = area.variant === 'test';
  const maxFiles = test ? IMAGES_AFTER_VOICE_TEST_AREA_MAX : IMAGES_AFTER_VOICE_GENERIC_MAX;
  const maxBytes = useBackendConfig().limits.imageBytes;
  const { chosen, take } = useChosenImages(maxFiles, interviewId);
  const backendStatus = useBackendStatus();
  const upload = useImageUpload(chosen, backendStatus);
  const { phase } = upload;
  const busy = phase.status !== 'idle';
  useEntryWarning(interviewId);
  useLeaveWarning(interviewId !== undefined);
  if (test && interviewId === undefined) return null;

  const keepOffered = interviewId !== undefined && !busy && (upload.undelivered || isLocalId(interviewId));
  const back = () => go({ to: 'transcript-edit', state: { interviewId } });
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
          <Button variant="secondary" disabled={busy} onClick={upload.skip}>
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
