import { useEffect, useRef, useState, type ReactNode } from 'react';
import { IMAGES_AFTER_VOICE_GENERIC_MAX, IMAGES_AFTER_VOICE_TEST_AREA_MAX } from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import { useFlow } from '#web/submission/flow.ts';
import { isLocalId } from '#web/submission/local-id.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { stepOf } from '#web/submission/steps.ts';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import { useRunningWork } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { Button } from '#web/ui/button.tsx';
import { Dropzone } from '#web/ui/dropzone.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { afterUpload } from './after-upload.ts';
import { megabytes } from './sizes.ts';
import { texts } from './texts.ts';
import { useImageUpload } from './use-image-upload.ts';
import { useImages, type Image } from './use-images.ts';

/** §2.8, both variants. */
export function ImageUploadAfterVoiceScreen(): ReactNode {
  const { area, go } = useFlow();
  const { currentId } = useSubmission();
  // As on entry: one that vanishes meanwhile is told when it is needed.
  const [interviewId] = useState(currentId);
  const test = area.variant === 'test';
  const maxFiles = test ? IMAGES_AFTER_VOICE_TEST_AREA_MAX : IMAGES_AFTER_VOICE_GENERIC_MAX;
  const maxBytes = useBackend().config.limits.imageBytes;
  const selection = useImages({ maxFiles, maxBytes });
  const keeping = useKeepOnDevice(interviewId);
  const { phase, submit, keep } = useImageUpload(selection, keeping);
  const busy = phase.status !== 'choosing';
  const { status } = useBackendStatus();
  useRunningWork(phase.status === 'uploading');
  useEntryWarning(interviewId);
  const unsent = status === 'unavailable' || selection.images.some((image) => image.state === 'failed');
  if (test && interviewId === undefined) return null;

  const skip = () => go({ to: 'thank-you', state: afterUpload(area, { interviewId, files: [], uploaded: false }) });
  const back = () => go({ to: 'transcript-edit', state: interviewId === undefined ? {} : { interviewId } });
  return (
    <FlowScreen
      step={stepOf('images')}
      title={texts.heading}
      lead={texts.lead}
      onBack={busy ? undefined : back}
      primary={
        <Button busy={busy} busyLabel={texts.uploading} onClick={() => void submit()}>
          {texts.upload}
        </Button>
      }
    >
      <Dropzone
        accept="image/jpeg,image/png,image/webp,.jpg,.jpeg,.png,.webp"
        multiple={test}
        disabled={busy}
        capture="environment"
        label={test ? texts.dropMany : texts.dropOne}
        hint={test ? texts.hintMany(maxFiles, maxBytes) : texts.hintOne(maxBytes)}
        onFiles={selection.add}
      />
      <ImageList images={selection.images} onRemove={busy ? undefined : selection.remove} />
      <div className="flex justify-center">
        <Button variant="secondary" disabled={busy} onClick={skip}>
          {texts.skip}
        </Button>
      </div>
      {status === 'unavailable' && (
        <Notice tone="caution" live>
          {texts.unavailable}
        </Notice>
      )}
      {interviewId !== undefined && !busy && (unsent || isLocalId(interviewId)) && (
        <KeepOnDevice state={keeping.state} onKeep={() => void keep()} outboxHref="/ausgangskorb" />
      )}
      {busy && <ProgressBar label={texts.progress} percent={phase.percent} />}
      {phase.status === 'done' && (
        <Notice tone="good" live>
          {texts.done}
        </Notice>
      )}
    </FlowScreen>
  );
}

type ListProps = Readonly<{ images: readonly Image[]; onRemove: ((key: string) => void) | undefined }>;

function ImageList({ images, onRemove }: ListProps): ReactNode {
  if (images.length === 0) return null;
  return (
    <ul aria-label={texts.selected} className="flex flex-col gap-2">
      {images.map(({ key, name, size, state, detail, preview }) => (
        <FileRow
          key={key}
          name={name}
          size={megabytes(size)}
          state={state}
          detail={detail}
          preview={preview}
          onRemove={onRemove === undefined || state === 'done' ? undefined : () => onRemove(key)}
        />
      ))}
    </ul>
  );
}

/** §8: without an id the test area starts again; elsewhere the user is told and stays. */
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
