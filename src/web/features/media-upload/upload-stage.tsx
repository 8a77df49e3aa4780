import type { ReactNode } from 'react';
import { inMegabytes } from '#web/submission/file-size.ts';
import { useFakeProgress } from '#web/submission/use-fake-progress.ts';
import type { ChosenFile } from '#web/submission/use-chosen-files.ts';
import type { UploadPhase } from '#web/submission/use-file-upload.ts';
import { Button } from '#web/ui/button.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { KINDS, texts, type MediaKind } from './texts.ts';

type UploadStageProps = Readonly<{
  kind: MediaKind;
  phase: UploadPhase;
  file: ChosenFile | undefined;
  onCancel: () => void;
}>;

/** While it is being sent, and the moment after. */
export function UploadStage({ kind, phase, file, onCancel }: UploadStageProps): ReactNode {
  const fake = useFakeProgress(phase.status === 'local');
  return (
    <FlowScreen title={KINDS[kind].uploadingTitle} lead={phase.status === 'done' ? undefined : texts.uploadingLead}>
      {phase.status === 'preparing' && <ProgressBar label={texts.preparing} />}
      {phase.status === 'local' && <ProgressBar label={texts.preparing} percent={fake} />}
      {phase.status === 'uploading' && <ProgressBar label={texts.progress} percent={phase.percent} />}
      {phase.status === 'done' && (
        <Notice tone="good" live>
          {texts.done}
        </Notice>
      )}
      {file !== undefined && (
        <ul aria-label={texts.selected}>
          <FileRow
            name={file.file.name}
            size={inMegabytes(file.file.size, 1)}
            state={file.state === 'uploading' ? 'waiting' : file.state}
            detail={file.state === 'uploading' ? '' : undefined}
            preview={file.file.type.startsWith('image/') ? file.preview : undefined}
          />
        </ul>
      )}
      {phase.status === 'uploading' && (
        <div className="flex justify-center">
          <Button variant="secondary" onClick={onCancel}>
            {texts.cancel}
          </Button>
        </div>
      )}
    </FlowScreen>
  );
}
