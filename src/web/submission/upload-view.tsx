import { type ReactNode, useEffect, useState } from 'react';
import { FAKE_PROGRESS_CAP, FAKE_PROGRESS_STEP_MAX, FAKE_PROGRESS_STEP_MS } from '#contract/limits.ts';
import { Button } from '#web/ui/button.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { failureReason, fileTexts, inMegabytes } from './texts.ts';
import type { ChosenFiles } from './use-chosen-files.ts';
import type { UploadPhase } from './use-file-upload.ts';

type UploadProgressProps = Readonly<{ phase: UploadPhase; localLabel?: string }>;

export function UploadProgress({ phase, localLabel = fileTexts.preparing }: UploadProgressProps): ReactNode {
  const fake = useFakeProgress(phase.status === 'local');
  switch (phase.status) {
    case 'preparing':
      return <ProgressBar label={fileTexts.preparing} />;
    case 'local':
      return <ProgressBar label={localLabel} percent={fake} />;
    case 'uploading':
      return <ProgressBar label={fileTexts.progress} percent={phase.percent} />;
    default:
      return null;
  }
}

/** Cancels an upload; shows nothing while none runs. */
export function CancelUpload({ phase, onCancel }: Readonly<{ phase: UploadPhase; onCancel: () => void }>): ReactNode {
  if (phase.status !== 'uploading') return null;
  return (
    <div className="flex justify-center">
      <Button variant="secondary" onClick={onCancel}>
        {fileTexts.cancel}
      </Button>
    </div>
  );
}

type ChosenFileListProps = Readonly<{ label: string; chosen: ChosenFiles; removable: 'removable' | 'fixed' }>;

/** The chosen files, and how far each of them is. */
export function ChosenFileList({ label, chosen, removable }: ChosenFileListProps): ReactNode {
  if (chosen.files.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-col gap-2">
      {chosen.files.map(({ key, file, state, percent, failure, preview }) => (
        <FileRow
          key={key}
          name={file.name}
          size={inMegabytes(file.size, 1)}
          state={state}
          detail={state === 'failed' && failure !== undefined ? failureReason(failure) : undefined}
          {...(percent === undefined ? {} : { percent })}
          preview={file.type.startsWith('image/') ? preview : undefined}
          onRemove={removable === 'fixed' || state === 'done' ? undefined : () => chosen.remove(key)}
        />
      ))}
    </ul>
  );
}

/** §4, D18: random steps that stop at 90, for phases in which nothing can be counted. 0 while not `active`. */
export function useFakeProgress(active: boolean): number {
  const [percent, setPercent] = useState(0);
  useEffect(() => {
    if (!active) return undefined;
    const step = () => setPercent((now) => Math.min(FAKE_PROGRESS_CAP, now + Math.random() * FAKE_PROGRESS_STEP_MAX));
    const timer = setInterval(step, FAKE_PROGRESS_STEP_MS);
    return () => {
      clearInterval(timer);
      setPercent(0);
    };
  }, [active]);
  return active ? percent : 0;
}
