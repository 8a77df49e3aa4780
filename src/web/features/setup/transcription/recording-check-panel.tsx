import type { ReactNode } from 'react';
import type { RecordingCheck } from '#contract/setup.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Play } from '#web/ui/screen-icons.ts';
import { setupTexts, transcriptionTexts as texts } from '../texts.ts';
import type { CheckState } from './use-transcription-setup.ts';

/** Tries what transcribes with a recording whose words are known. */
export function RecordingCheckPanel({ state, onRun }: Readonly<{ state: CheckState; onRun: () => void }>): ReactNode {
  return (
    <section aria-labelledby="setup-check">
      <h3 id="setup-check" className="font-semibold">
        {texts.checkTitle}
      </h3>
      <p className="mt-1 mb-4 max-w-measure text-sm text-muted">{texts.checkText}</p>
      <Button
        variant="secondary"
        icon={<Play aria-hidden className="size-5" />}
        busy={state.status === 'running'}
        busyLabel={texts.checking}
        onClick={onRun}
      >
        {texts.check}
      </Button>
      <div aria-live="polite">
        {state.status === 'done' && <Result check={state.check} />}
        {state.status === 'failed' && (
          <div className="mt-4">
            <Notice tone="error" title={setupTexts.problems[state.problem]} />
          </div>
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
