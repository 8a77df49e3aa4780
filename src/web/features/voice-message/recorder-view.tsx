import { clsx } from 'clsx';
import { type ReactNode, useRef } from 'react';
import { RECORDING_MAX_S } from '#contract/limits.ts';
import { MicrophoneHelp } from '#web/speech/microphone.tsx';
import { downloadBlob } from '#web/submission/file-name.ts';
import { inMegabytes } from '#web/submission/texts.ts';
import { Button } from '#web/ui/button.tsx';
import { LevelMeter } from '#web/ui/level-meter.tsx';
import { Notice, type Tone } from '#web/ui/notice.tsx';
import { Player } from '#web/ui/player/player.tsx';
import { Download, Mic, Pause, Play, RotateCcw, Square } from '#web/ui/screen-icons.ts';
import { minutesAndSeconds, Timer } from '#web/ui/timer.tsx';
import { useFocusAfter, useFocusOnArrival } from '#web/ui/use-focus.ts';
import { useInSight } from '#web/ui/use-in-view.ts';
import type { RecorderNotice, Recording } from './recording/state.ts';
import { getMessage, RECORDING_TEXTS } from './recording/texts.ts';
import { type RecorderHandle, useMuted } from './recording/use-recorder.ts';
import { texts } from './texts.ts';

/** Below it would read '0 MB'. */
const SHOWN_FROM_BYTES = 100_000;

/** As large as leaves time, state and pause above the actions; what is around it is taken off the window's height. */
const RING = 'w-[clamp(10rem,100dvh-28.5rem,18rem)] sm:w-[clamp(10rem,100dvh-31rem,18rem)]';
/** Before the recording the choice of the microphone stands below it, in sight at a desk. */
const IDLE_RING = 'w-[clamp(10rem,100dvh-28.5rem,18rem)] sm:w-[clamp(10rem,100dvh-44rem,18rem)]';

type RecorderStageProps = Readonly<{ recorder: RecorderHandle; disabled: boolean; maxSeconds?: number }>;

/** The level is the centre; under it the time and the state in words. */
export function RecorderStage({ recorder, disabled, maxSeconds = RECORDING_MAX_S }: RecorderStageProps): ReactNode {
  const { state, readLevel, seconds, pause, resume, track } = recorder;
  const muted = useMuted(track);
  const running = state.status === 'recording';
  const paused = running && state.paused;
  return (
    <div className={clsx('flex flex-col items-center gap-4', running && 'low:flex-row low:justify-center low:gap-3')}>
      <div className={clsx('max-w-full shrink-0', getRingWidth(state.status), running && 'low:w-32')}>
        <LevelMeter read={readLevel} state={running ? (paused ? 'paused' : 'active') : 'idle'}>
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
            {texts.state[paused ? 'paused' : running && muted ? 'muted' : state.status]}
          </p>
          <p className="tabular min-h-5 text-sm text-muted">{describeProgress(recorder)}</p>
        </div>
        {running && (
          <Button variant="secondary" icon={paused ? Play : Pause} onClick={paused ? resume : pause}>
            {paused ? texts.resume : texts.pause}
          </Button>
        )}
      </div>
    </div>
  );
}

function getRingWidth(status: RecorderHandle['state']['status']): string {
  if (status === 'recorded') return 'w-44';
  return status === 'recording' || status === 'stopping' ? RING : IDLE_RING;
}

/** §8: that it has started or ended, and how large it is. */
function describeProgress({ state, bytes }: RecorderHandle): string {
  const size = bytes >= SHOWN_FROM_BYTES ? [inMegabytes(bytes, 1)] : [];
  if (state.status === 'recorded') return [RECORDING_TEXTS.stopped, ...size].join(' · ');
  if (state.status === 'recording') return size[0] ?? (state.paused ? '' : RECORDING_TEXTS.started);
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
      <Icon className={clsx('relative size-2/5', running && 'fill-current')} />
    </button>
  );
}

type PlaybackProps = Readonly<{ recording: Recording; disabled: boolean; onRecordAgain: () => void }>;

/** Listen, download, record again. */
export function Playback({ recording, disabled, onRecordAgain }: PlaybackProps): ReactNode {
  const play = useFocusOnArrival<HTMLButtonElement>();
  return (
    <div className="flex flex-col gap-4">
      <Player kind="audio" src={recording.blob} name={texts.position} size={recording.blob.size} playRef={play} />
      <div className="flex flex-wrap justify-center gap-2 max-sm:[&>*]:grow">
        <Button variant="secondary" disabled={disabled} icon={RotateCcw} onClick={onRecordAgain}>
          {texts.reset}
        </Button>
        <Button
          variant="quiet"
          icon={Download}
          onClick={() => downloadBlob(recording.blob, `sprachnachricht.${recording.extension}`)}
        >
          {texts.download}
        </Button>
      </div>
    </div>
  );
}

/** What the recorder reports (§8), until it reports something else. The stage itself says that it began and ended. */
export function RecorderMessage({ notice }: Readonly<{ notice: RecorderNotice | undefined }>): ReactNode {
  if (notice === undefined || notice.type === 'started') return null;
  if (notice.type === 'stopped' && !notice.automatic) return null;
  const { title, description, destructive } = getMessage(notice);
  return (
    <ShownNotice key={title + (description ?? '')} tone={destructive ? 'error' : 'info'} title={title}>
      {description}
      {notice.type === 'error' && notice.code === 'permission' && !notice.kept && <MicrophoneHelp />}
    </ShownNotice>
  );
}

/** Comes into sight when it appears. */
function ShownNotice(props: Readonly<{ tone: Tone; title: string; children: ReactNode }>): ReactNode {
  return <Notice ref={useInSight()} live {...props} />;
}

type RecoveryCardProps = Pick<RecorderHandle, 'recovered' | 'restoring' | 'restore' | 'discardRecovered'>;

/** After a crash, a closed page or a way back: the newest recording left on this device. */
export function RecoveryCard({ recovered, restoring, restore, discardRecovered }: RecoveryCardProps): ReactNode {
  const [newest] = recovered;
  if (newest === undefined) return null;
  const when = new Date(newest.startedAt).toLocaleString('de-DE', { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Notice
      title={RECORDING_TEXTS.recoveredTitle}
      live
      action={
        <>
          <Button variant="secondary" busy={restoring} onClick={() => restore(newest.id)}>
            {texts.restore}
          </Button>
          <Button variant="quiet" onClick={() => discardRecovered(newest.id)}>
            {texts.discard}
          </Button>
        </>
      }
    >
      <p>{RECORDING_TEXTS.recoveredText}</p>
      <p className="tabular mt-1 text-sm text-muted">{texts.recoveredAt(when, minutesAndSeconds(newest.seconds))}</p>
    </Notice>
  );
}
