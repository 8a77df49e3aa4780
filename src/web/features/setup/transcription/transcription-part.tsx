import { useState, type ReactNode } from 'react';
import type { InstallFailure, TranscriptionSetup } from '#contract/setup.ts';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { setupTexts, transcriptionTexts as texts } from '../texts.ts';
import { ModelList } from './model-list.tsx';
import { RecordingCheckPanel } from './recording-check-panel.tsx';
import { useTranscriptionSetup, type UseTranscriptionSetup } from './use-transcription-setup.ts';

/** Shows what transcribes, installs and removes models, and tries one recording. */
export function TranscriptionPart(): ReactNode {
  const part = useTranscriptionSetup();
  const { state } = part;
  return (
    <>
      {state.status === 'loading' && <Loading />}
      {state.status === 'failed' && (
        <Notice
          tone="error"
          live
          title={setupTexts.problems[state.problem]}
          action={
            <Button variant="secondary" onClick={part.reload}>
              {setupTexts.retry}
            </Button>
          }
        />
      )}
      {state.status === 'ready' && <Content setup={state.setup} part={part} />}
    </>
  );
}

function Loading(): ReactNode {
  return (
    <>
      <output className="text-muted">{setupTexts.loading}</output>
      <Skeleton className="mt-4 h-12 w-full" />
      <Skeleton className="mt-4 h-12 w-full" />
    </>
  );
}

type ContentProps = Readonly<{ setup: TranscriptionSetup; part: UseTranscriptionSetup }>;

function Content({ setup, part }: ContentProps): ReactNode {
  const [removing, setRemoving] = useState<string>();
  return (
    <div className="flex flex-col gap-8">
      <div className="flex max-w-measure flex-col gap-2">
        <p>{texts.by[setup.by]}</p>
        {setup.by === 'nothing' && <p className="text-muted">{texts.how}</p>}
      </div>
      {setup.failure !== null && <Failure failure={setup.failure} />}
      {part.message}
      <section aria-labelledby="setup-models">
        <h3 id="setup-models" className="font-semibold">
          {texts.models}
        </h3>
        <p className="mt-1 mb-4 max-w-measure text-sm text-muted">{texts.modelsText}</p>
        <ModelList
          setup={setup}
          busy={part.busy}
          onInstall={(model) => part.act({ kind: 'install', model })}
          onCancel={() => part.act({ kind: 'cancel' })}
          onRemove={setRemoving}
        />
      </section>
      {setup.by !== 'nothing' && <RecordingCheckPanel state={part.check} onRun={part.runCheck} />}
      <ConfirmDialog
        open={removing !== undefined}
        tone="danger"
        title={texts.removeTitle(texts.describe(removing ?? '').title)}
        description={texts.removeText}
        confirmLabel={texts.remove}
        onConfirm={() => {
          setRemoving(undefined);
          if (removing !== undefined) part.act({ kind: 'remove', model: removing });
        }}
        onCancel={() => setRemoving(undefined)}
      />
    </div>
  );
}

function Failure({
  failure: { model, code, neededBytes, freeBytes },
}: Readonly<{ failure: InstallFailure }>): ReactNode {
  const room = neededBytes === undefined || freeBytes === undefined ? '' : ` ${texts.room(neededBytes, freeBytes)}`;
  return (
    <Notice tone="error" live title={texts.failed(texts.describe(model).title)}>
      {texts.failures[code]}
      {room}
    </Notice>
  );
}
