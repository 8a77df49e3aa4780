import { clsx } from 'clsx';
import { Mic, Pause, Play, Square } from '#web/ui/screen-icons.ts';
import { useRef, type ReactNode } from 'react';
import { RECORDING_MAX_S } from '#contract/limits.ts';
import { Button } from '#web/ui/button.tsx';
import { LevelMeter } from '#web/ui/level-meter.tsx';
import { minutesAndSeconds, Timer } from '#web/ui/timer.tsx';
import { useFocusAfter } from '#web/ui/use-focus.ts';
import type { RecorderHandle } from './recording/index.ts';
import { megabytes } from './deliver.ts';
import { texts } from './texts.ts';

/** Below it would read '0 MB'. */
const SHOWN_FROM_BYTES = 100_000;

export type RecorderStageProps = Readonly<{ recorder: RecorderHandle; disabled: boolean }>;

/** The level is the centre; under it the time and the state in words. */
export function RecorderStage({ recorder, disabled }: RecorderStageProps): ReactNode {
  const { state, level, seconds, bytes, pause, resume } = recorder;
  const running = state.status === 'recording';
  const paused = running && state.paused;
  return (
    <div className="flex flex-col items-center gap-4">
      <div className={state.status === 'recorded' ? 'w-44' : 'w-full'}>
        <LevelMeter level={level} state={running ? (paused ? 'paused' : 'active') : 'idle'}>
          <RecordButton recorder={recorder} disabled={disabled} />
        </LevelMeter>
      </div>
      <div className="flex flex-col items-center gap-1 text-center">
        <p className="flex items-baseline gap-2">
          <Timer seconds={seconds} label={texts.timer} />
          <span className="tabular text-sm text-muted">
            {texts.of} {minutesAndSeconds(RECORDING_MAX_S)}
          </span>
        </p>
        <p aria-live="polite" className="text-lg font-medium">
          {paused ? texts.state.paused : texts.state[state.status]}
        </p>
        <p className="tabular min-h-5 text-sm text-muted">
          {bytes >= SHOWN_FROM_BYTES && texts.size(megabytes(bytes))}
        </p>
      </div>
      {running && (
        <Button
          variant="secondary"
          icon={paused ? <Play aria-hidden className="size-5" /> : <Pause aria-hidden className="size-5" />}
          onClick={paused ? resume : pause}
        >
          {paused ? texts.resume : texts.pause}
        </Button>
      )}
    </div>
  );
}

/** §2.6: a round record button that turns into a red pulsing stop button; disabled once there is a recording (§4). */
function RecordButton({ recorder, disabled }: RecorderStageProps): ReactNode {
  const { state, start, stop, recovered } = recorder;
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfter(`${state.status} ${recovered.length}`, button);
  const running = state.status === 'recording';
  const off = disabled || state.status === 'recorded' || state.status === 'stopping';
  const Icon = running ? Square : Mic;
  return (
    <button
      ref={button}
      type="button"
      aria-label={running ? texts.stop : texts.start}
      title={running ? texts.stop : texts.start}
      disabled={off}
      onClick={running ? stop : start}
      className={clsx(
        state.status === 'recorded' ? 'size-20' : 'size-28',
        'relative flex items-center justify-center rounded-full border-4 transition-colors duration-200',
        running
          ? 'border-record bg-record text-paper'
          : 'border-line bg-surface text-record-ink enabled:hover:border-record',
        'disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted',
      )}
    >
      {running && !state.paused && (
        <span
          aria-hidden
          className="absolute inset-0 animate-ping rounded-full bg-record opacity-25 motion-reduce:hidden"
        />
      )}
      <Icon aria-hidden className={clsx('relative', running ? 'size-9 fill-current' : 'size-10')} />
    </button>
  );
}
