import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { useInSight } from '#web/ui/use-in-view.ts';
import { texts } from './texts.ts';
import type { TranscriptionState } from './transcription/use-transcription.ts';

export type ProgressPanelProps = Readonly<{
  state: Extract<TranscriptionState, { status: 'uploading' | 'transcribing' }>;
  /** undefined where the server cannot be told to stop. */
  onCancel: (() => void) | undefined;
}>;

/** The bar by bytes or audio time, the place in the queue, and last the text, so that it moves nothing as it grows. */
export function ProgressPanel({ state, onCancel }: ProgressPanelProps): ReactNode {
  const place = useInSight('start');
  return (
    <div ref={place} className="flex flex-col gap-4">
      <Bar state={state} />
      <output className="sr-only">{describeForEar(state)}</output>
      {onCancel !== undefined && (
        <div>
          <Button variant="secondary" onClick={onCancel}>
            {texts.cancel}
          </Button>
        </div>
      )}
      {state.status === 'transcribing' && (state.text ?? '').trim() !== '' && <GrowingText text={state.text ?? ''} />}
    </div>
  );
}

function Bar({ state }: Pick<ProgressPanelProps, 'state'>): ReactNode {
  if (state.status === 'uploading') return <ProgressBar label={texts.uploading} percent={state.fraction * 100} />;
  if (state.place !== undefined) return <ProgressBar label={texts.queued(state.place)} />;
  if (state.audio === undefined) return <ProgressBar label={texts.transcribing} />;
  const { doneS, totalS } = state.audio;
  const label = texts.transcribed(minutesAndSeconds(Math.floor(doneS)), minutesAndSeconds(Math.floor(totalS)));
  return <ProgressBar label={label} percent={getPercent(state.audio)} />;
}

/** A screen reader hears the place in the queue and each quarter, not every piece of the text. */
function describeForEar(state: ProgressPanelProps['state']): string {
  if (state.status === 'uploading') return '';
  if (state.place !== undefined) return texts.queued(state.place);
  const quarter = state.audio === undefined ? 0 : Math.floor(getPercent(state.audio) / 25) * 25;
  return quarter === 0 ? texts.transcribing : texts.quarter(quarter);
}

function getPercent({ doneS, totalS }: Readonly<{ doneS: number; totalS: number }>): number {
  return totalS > 0 ? Math.min(100, (doneS / totalS) * 100) : 0;
}

/** The newest words stay in sight, because the column is filled from its end. */
function GrowingText({ text }: Readonly<{ text: string }>): ReactNode {
  return (
    <section
      aria-label={texts.soFar}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard has to reach a box that scrolls
      tabIndex={0}
      className="flex max-h-60 flex-col-reverse overflow-y-auto rounded-control border border-line bg-surface p-4"
    >
      <p className="max-w-measure whitespace-pre-wrap">{text.trim()}</p>
    </section>
  );
}
