import { clsx } from 'clsx';
import { type KeyboardEvent, type ReactNode, type Ref, useMemo, useRef } from 'react';
import type { SpokenSegment } from '#contract/spoken.ts';
import { BusyMark, Button, RetryButton } from '../button.tsx';
import { Download, Pause, Play, RotateCcw } from '../screen-icons.ts';
import { minutesAndSeconds } from '../timer.tsx';
import { Controls, SeekBar, SKIP_S } from './controls.tsx';
import { Media, usePeaks } from './media.tsx';
import { playerTexts as texts } from './texts.ts';
import { type MediaOptions, type PlayerControl, usePlayer } from './use-player.ts';
import './player.css';

export type PlayerProps = MediaOptions &
  Readonly<{
    kind: 'audio' | 'video';
    /** Names the recording for screen readers. */
    name: string;
    /** In bytes; small recordings get a waveform. */
    size: number;
    /** What was said and when: buttons for sentences, and captions of a video. */
    sentences?: readonly SpokenSegment[] | undefined;
    /** Fetches the file, which is offered when it does not play. */
    onDownload?: (() => void) | undefined;
    /** Shows nothing at all where the file does not play: a preview that fails says nothing about the file. */
    optional?: boolean;
    playRef?: Ref<HTMLButtonElement>;
  }>;

const NONE: readonly SpokenSegment[] = [];

/** Plays a recording or a film: waveform, position, speed, jumps by ten seconds and by sentence (decision 0265). */
export function Player(props: PlayerProps): ReactNode {
  const {
    kind,
    src,
    name,
    size,
    sentences = NONE,
    register,
    onLength,
    renew,
    onDownload,
    optional = false,
    playRef,
  } = props;
  const control = usePlayer({ src, register, onLength, renew });
  const peaks = usePeaks(src, kind === 'audio' ? size : Number.POSITIVE_INFINITY);
  const frame = useRef<HTMLFieldSetElement>(null);
  const starts = useMemo(() => sentences.map(({ start }) => start), [sentences]);
  const { state, seek, toggle } = control;
  const broken = state.phase === 'broken';
  if (broken && optional) return null;
  return (
    // Letters are pressed on what is inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <fieldset
      ref={frame}
      aria-label={name}
      onKeyDown={(event) => pressKey(event, control)}
      className="player flex min-w-0 flex-col gap-1 print:hidden"
    >
      <Media kind={kind} src={src} control={control} sentences={sentences} />
      {broken && <Broken onRetry={control.reload} onDownload={onDownload} />}
      {!broken && (
        <>
          <div className="flex items-center gap-3">
            <PlayButton state={state} onClick={toggle} ref={playRef} />
            <div className="min-w-0 grow">
              <SeekBar state={state} peaks={peaks} onSeek={seek} onToggle={toggle} />
              <p className="tabular flex justify-between text-sm text-muted">
                <span>{minutesAndSeconds(state.position)}</span>
                <span>{state.length === undefined ? '–:–' : minutesAndSeconds(state.length)}</span>
              </p>
            </div>
          </div>
          <Controls
            state={state}
            speed={control.speed}
            starts={starts}
            onSeek={seek}
            onSpeed={control.setSpeed}
            onMute={control.toggleMute}
            onCaptions={kind === 'video' && sentences.length > 0 ? () => toggleCaptions(frame.current) : undefined}
            onFullScreen={kind === 'video' ? () => showFullScreen(frame.current) : undefined}
          />
        </>
      )}
    </fieldset>
  );
}

function PlayButton({
  state: { playing, waiting },
  onClick,
  ref,
}: Readonly<{
  state: PlayerControl['state'];
  onClick: () => void;
  ref?: Ref<HTMLButtonElement> | undefined;
}>): ReactNode {
  const Icon = playing ? Pause : Play;
  const label = playing ? texts.pause : texts.play;
  return (
    <button
      ref={ref}
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className={clsx(
        'inline-flex size-12 shrink-0 items-center justify-center rounded-full bg-accent text-on-accent',
        'transition-colors hover:bg-accent-strong',
      )}
    >
      {waiting ? <BusyMark /> : <Icon className={clsx('size-5.5 fill-current', !playing && 'translate-x-px')} />}
    </button>
  );
}

function Broken({
  onRetry,
  onDownload,
}: Pick<PlayerProps, 'onDownload'> & Readonly<{ onRetry: () => void }>): ReactNode {
  return (
    <div role="alert" className="flex flex-col gap-3 rounded-control bg-caution-wash p-4">
      <p className="text-caution-ink">{texts.notPlayable}</p>
      <div className="flex flex-wrap gap-2">
        <RetryButton icon={RotateCcw} onClick={onRetry} />
        {onDownload !== undefined && (
          <Button variant="secondary" icon={Download} onClick={onDownload}>
            {texts.download}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Letters that people know from other players; they count only while the focus is in this one (WCAG 2.1.4). */
function pressKey(event: KeyboardEvent, { toggle, seek, toggleMute, state }: PlayerControl): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
  if (event.key === 'k') toggle();
  else if (event.key === 'j') seek(state.position - SKIP_S);
  else if (event.key === 'l') seek(state.position + SKIP_S);
  else if (event.key === 'm') toggleMute();
  else return;
  // The screen around it has keys of its own.
  event.preventDefault();
}

/** Returns whether captions are shown now. */
function toggleCaptions(frame: HTMLFieldSetElement | null): boolean {
  const track = frame?.querySelector('video')?.textTracks[0];
  if (track === undefined) return false;
  track.mode = track.mode === 'showing' ? 'hidden' : 'showing';
  return track.mode === 'showing';
}

/** iPhones show only the film itself in full screen. */
function showFullScreen(frame: HTMLFieldSetElement | null): void {
  const film: (HTMLVideoElement & { webkitEnterFullscreen?: () => void }) | null =
    frame?.querySelector('video') ?? null;
  if (document.fullscreenElement !== null) void document.exitFullscreen();
  else if (typeof frame?.requestFullscreen === 'function') frame.requestFullscreen().catch(() => undefined);
  else film?.webkitEnterFullscreen?.();
}
