import type { ReactNode } from 'react';
import type { SpeechModel, TranscriptionSetup } from '#contract/setup.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { Download, Trash2 } from '#web/ui/screen-icons.ts';
import { transcriptionTexts as texts } from '../texts.ts';
import type { UseTranscriptionSetup } from './use-transcription-setup.ts';

export type ModelListProps = Readonly<{
  setup: Pick<TranscriptionSetup, 'models' | 'installation'>;
  busy: UseTranscriptionSetup['busy'];
  onInstall: (model: string) => void;
  onCancel: () => void;
  onRemove: (model: string) => void;
}>;

export function ModelList({ setup: { models, installation }, ...props }: ModelListProps): ReactNode {
  return (
    <ul className="divide-y divide-line rounded-control border border-line">
      {models.map((model) => (
        <li key={model.name} className="p-4">
          {installation?.model === model.name ? (
            <InstallingModel installation={installation} busy={props.busy} onCancel={props.onCancel} />
          ) : (
            <ModelRow model={model} isBlocked={installation !== null} {...props} />
          )}
        </li>
      ))}
    </ul>
  );
}

type RowProps = Omit<ModelListProps, 'setup' | 'onCancel'> &
  Readonly<{
    model: SpeechModel;
    /** Another model is being installed. */
    isBlocked: boolean;
  }>;

function ModelRow({ model, isBlocked, busy, onInstall, onRemove }: RowProps): ReactNode {
  const { name, isInstalled, isInUse, partialBytes } = model;
  const { title } = texts.describe(name);
  const installLabel = isInstalled ? texts.use : partialBytes > 0 ? texts.resume : texts.install;
  const isOff = isBlocked || busy !== undefined;
  return (
    <div className="flex flex-col gap-4 sm:flex-row sm:items-start sm:justify-between">
      <About model={model} />
      <div className="flex shrink-0 flex-wrap gap-2">
        {!isInUse && (
          <Button
            variant={model.isDefault && !isInstalled ? 'primary' : 'secondary'}
            icon={isInstalled ? undefined : Download}
            aria-label={texts.act(installLabel, title)}
            idle={isOff}
            onClick={() => onInstall(name)}
          >
            {installLabel}
          </Button>
        )}
        {(isInstalled || partialBytes > 0) && (
          <Button
            variant="quiet"
            icon={Trash2}
            aria-label={texts.act(texts.remove, title)}
            idle={isOff}
            onClick={() => onRemove(name)}
          >
            {texts.remove}
          </Button>
        )}
      </div>
    </div>
  );
}

function About({ model }: Readonly<{ model: SpeechModel }>): ReactNode {
  const { name, bytes, memoryBytes, attribution, licence, isDefault, isInstalled, isInUse, partialBytes } = model;
  const { title, note } = texts.describe(name);
  const facts = [texts.size(bytes), memoryBytes === null ? '' : texts.memory(memoryBytes)].filter((one) => one !== '');
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{title}</span>
        {isInUse && <Badge tone="good">{texts.inUse}</Badge>}
        {isInstalled && !isInUse && <Badge>{texts.installed}</Badge>}
        {isDefault && !isInstalled && <Badge tone="accent">{texts.recommended}</Badge>}
      </p>
      {note !== '' && <p className="mt-1">{note}</p>}
      <p className="tabular mt-1 text-sm text-muted">{facts.join(' · ')}</p>
      {attribution !== null && licence !== null && (
        <p className="text-sm text-muted">
          {attribution}, {licence}
        </p>
      )}
      {partialBytes > 0 && !isInstalled && <p className="tabular text-sm text-muted">{texts.partial(partialBytes)}</p>}
    </div>
  );
}

type InstallingProps = Pick<ModelListProps, 'busy' | 'onCancel'> &
  Readonly<{ installation: NonNullable<TranscriptionSetup['installation']> }>;

function InstallingModel({ installation, busy, onCancel }: InstallingProps): ReactNode {
  const { model, phase, doneBytes, totalBytes } = installation;
  const { title } = texts.describe(model);
  return (
    <div>
      <p className="mb-3 font-medium">{title}</p>
      <ProgressBar
        label={texts.act(texts.phases[phase], title)}
        {...(totalBytes > 0 ? { percent: (doneBytes / totalBytes) * 100 } : {})}
      />
      <div className="mt-3 flex flex-wrap items-center justify-between gap-3">
        <p className="tabular text-sm text-muted">
          {totalBytes > 0 && <span className="mr-3">{texts.progress(doneBytes, totalBytes)}</span>}
          <span className="inline-block">{texts.keepsOn}</span>
        </p>
        <Button
          variant="secondary"
          busy={busy === 'cancel'}
          busyLabel={texts.cancelling}
          aria-label={texts.act(texts.cancel, title)}
          onClick={onCancel}
        >
          {texts.cancel}
        </Button>
      </div>
    </div>
  );
}
