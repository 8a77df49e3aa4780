import type { ReactNode } from 'react';
import { inMegabytes } from '#web/submission/texts.ts';
import { CancelUpload, UploadProgress } from '#web/submission/upload-view.tsx';
import type { ChosenFile } from '#web/submission/use-chosen-files.ts';
import type { UploadPhase } from '#web/submission/use-file-upload.ts';
import { FileRow } from '#web/ui/file-row.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { KINDS, texts, type MediaKind } from './texts.ts';

type UploadStageProps = Readonly<{
  kind: MediaKind;
  phase: UploadPhase;
  file: ChosenFile | undefined;
  onCancel: () => void;
}>;

/** While it is being sent, and the moment after. */
export function UploadStage({ kind, phase, file, onCancel }: UploadStageProps): ReactNode {
  return (
    <FlowScreen title={KINDS[kind].uploadingTitle} lead={phase.status === 'done' ? undefined : texts.uploadingLead}>
      <UploadProgress phase={phase} />
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
      <CancelUpload phase={phase} onCancel={onCancel} />
    </FlowScreen>
  );
}
