import { useState, type ReactNode } from 'react';
import type { InstallFailure, TranscriptionSetup, RecordingCheck } from '#contract/setup.ts';
import { Button, RetryButton } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Play } from '#web/ui/screen-icons.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { setupTexts, transcriptionTexts as texts } from '../texts.ts';
import { ModelList } from './model-list.tsx';
import { useTranscriptionSetup, type UseTranscriptionSetup, type CheckState } from './use-transcription-setup.ts';

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
          action={<RetryButton onClick={part.reload} />}
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

function Content({ setup, part }: Readonly<{ setup: TranscriptionSetup; part: UseTranscriptionSetup }>): ReactNode {
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
  const space = neededBytes === undefined || freeBytes === undefined ? '' : ` ${texts.space(neededBytes, freeBytes)}`;
  return (
    <Notice tone="error" live title={texts.failed(texts.describe(model).title)}>
      {texts.failures[code]}
      {space}
    </Notice>
  );
}

/** Tries what transcribes with a recording whose words are known. */
function RecordingCheckPanel({ state, onRun }: Readonly<{ state: CheckState; onRun: () => void }>): ReactNode {
  return (
    <section aria-labelledby="setup-check">
      <h3 id="setup-check" className="font-semibold">
        {texts.checkTitle}
      </h3>
      <p className="mt-1 mb-4 max-w-measure text-sm text-muted">{texts.checkText}</p>
      <Button
        variant="secondary"
        icon={Play}
        busy={state.status === 'running'}
        busyLabel={texts.checking}
        onClick={onRun}
      >
        {texts.check}
      </Button>
      <div aria-live="polite">
        {state.status === 'done' && <Result check={state.check} />}
        {state.status === 'failed' && (
          <Notice className="mt-4" tone="error" title={setupTexts.problems[state.problem]} />
        )}
      </div>
    </section>
  );
}

function Result({ check }: Readonly<{ check: RecordingCheck }>): ReactNode {
  return (
    <dl className="mt-4 grid gap-4 rounded-control bg-sunken p-4 sm:grid-cols-2">
      <Figure name={texts.errors} value={texts.formatErrors(check)} />
      <Figure name={texts.speed} value={texts.formatSpeed(check)} />
      <Words name={texts.interview} words={texts.describeWait(check)} />
      <Words name={texts.heard} words={check.text === '' ? texts.nothingHeard : check.text} />
      <Words name={texts.spoken} words={check.expected} />
    </dl>
  );
}

function Figure({ name, value }: Readonly<{ name: string; value: string }>): ReactNode {
  return (
    <div className="flex flex-col-reverse justify-end">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="tabular text-2xl font-semibold tracking-tight">{value}</dd>
    </div>
  );
}

function Words({ name, words }: Readonly<{ name: string; words: string }>): ReactNode {
  return (
    <div className="sm:col-span-2">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="wrap-anywhere">{words}</dd>
    </div>
  );
}
