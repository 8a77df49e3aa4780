import type { ReactNode } from 'react';
import { inMegabytes } from '#web/submission/file-size.ts';
import { failureReason } from '#web/submission/file-texts.ts';
import { useFakeProgress } from '#web/submission/use-fake-progress.ts';
import type { ChosenFile, ChosenFiles } from '#web/submission/use-chosen-files.ts';
import type { UploadPhase } from '#web/submission/use-file-upload.ts';
import { Button } from '#web/ui/button.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { texts } from './texts.ts';

type FilePartProps = Readonly<{ chosen: ChosenFiles; phase: UploadPhase; onCancel: () => void }>;

/** The chosen files, and how far they are. */
export function FilePart({ chosen, phase, onCancel }: FilePartProps): ReactNode {
  const busy = phase.status !== 'idle';
  const fake = useFakeProgress(phase.status === 'local');
  return (
    <>
      {phase.status === 'preparing' && <ProgressBar label={texts.preparing} />}
      {phase.status === 'local' && <ProgressBar label={texts.progress} percent={fake} />}
      {phase.status === 'uploading' && <ProgressBar label={texts.progress} percent={phase.percent} />}
      {chosen.files.length > 0 && (
        <ul aria-label={texts.selected} className="flex flex-col gap-2">
          {chosen.files.map((file) => (
            <Row key={file.key} chosen={file} onRemove={busy ? undefined : () => chosen.remove(file.key)} />
          ))}
        </ul>
      )}
      {phase.status === 'uploading' && (
        <div className="flex justify-center">
          <Button variant="secondary" onClick={onCancel}>
            {texts.cancel}
          </Button>
        </div>
      )}
    </>
  );
}

function Row({ chosen, onRemove }: Readonly<{ chosen: ChosenFile; onRemove: (() => void) | undefined }>): ReactNode {
  const { file, state, percent, failure, preview } = chosen;
  return (
    <FileRow
      name={file.name}
      size={inMegabytes(file.size, 1)}
      state={state}
      detail={state === 'failed' && failure !== undefined ? failureReason(failure) : undefined}
      {...(percent === undefined ? {} : { percent })}
      preview={file.type.startsWith('image/') ? preview : undefined}
      onRemove={state === 'done' ? undefined : onRemove}
    />
  );
}
