import { clsx } from 'clsx';
import { Mic, Pause, Play, Square } from '#web/ui/screen-icons.ts';
import { useRef, type ReactNode } from 'react';
import { RECORDING_MAX_S } from '#contract/limits.ts';
import { Button } from '#web/ui/button.tsx';
import { LevelMeter } from '#web/ui/level-meter.tsx';
import { minutesAndSeconds, Timer } from '#web/ui/timer.tsx';
import { useFocusAfter } from '#web/ui/use-focus.ts';
import { RECORDING_TEXTS } from './recording/texts.ts';
import type { RecorderHandle } from './recording/use-recorder.ts';
import { megabytes } from './deliver.ts';
import { texts } from './texts.ts';

/** Below it would read '0 MB'. */
const SHOWN_FROM_BYTES = 100_000;

/**
 * As large as leaves time, state and pause above the actions; what stands around it is taken off the window's height.
 */
const RING = 'w-[clamp(10rem,100dvh-28.5rem,18rem)] sm:w-[clamp(10rem,100dvh-31rem,18rem)]';

export type RecorderStageProps = Readonly<{ recorder: RecorderHandle; disabled: boolean; maxSeconds?: number }>;

/** The level is the centre; under it the time and the state in words. */
export function RecorderStage({ recorder, disabled, maxSeconds = RECORDING_MAX_S }: RecorderStageProps): ReactNode {
  const { state, level, seconds, pause, resume } = recorder;
  const running = state.status === 'recording';
  const paused = running && state.paused;
  return (
    <div className={clsx('flex flex-col items-center gap-4', running && 'low:flex-row low:justify-center low:gap-3')}>
      <div className={clsx('shrink-0', state.status === 'recorded' ? 'w-44' : RING, running && 'low:w-32')}>
        <LevelMeter level={level} state={running ? (paused ? 'paused' : 'active') : 'idle'}>
          <RecordButton recorder={recorder} disabled={disabled} />
        </LevelMeter>
      </div>
      <div className="flex flex-col items-center gap-3 text-center">
        <div>
          <p className="flex items-baseline justify-center gap-2">
            <Timer seconds={seconds} label={texts.timer} className={clsx('text-3xl', running && 'low:text-2xl')} />
            <span className="tabular text-sm whitespace-nowrap text-muted">
              {texts.of} {minutesAndSeconds(maxSeconds)}
            </span>
          </p>
          <p aria-live="polite" className="text-lg font-medium">
            {paused ? texts.state.paused : texts.state[state.status]}
          </p>
          <p className="tabular min-h-5 text-sm text-muted">{describeProgress(recorder)}</p>
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
    </div>
  );
}

/** §8: that it has started or ended, and how large it is. */
function describeProgress({ state, bytes }: RecorderHandle): string {
  const size = bytes >= SHOWN_FROM_BYTES ? [texts.size(megabytes(bytes))] : [];
  if (state.status === 'recorded') return [RECORDING_TEXTS.stopped, ...size].join(' · ');
  if (state.status === 'recording') return size[0] ?? RECORDING_TEXTS.started;
  return '';
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
        'relative aspect-square w-2/5 flex items-center justify-center rounded-full border-4 transition-colors',
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
      <Icon aria-hidden className={clsx('relative size-2/5', running && 'fill-current')} />
    </button>
  );
}
