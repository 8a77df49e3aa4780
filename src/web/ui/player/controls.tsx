import { clsx } from 'clsx';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useState } from 'react';
import { IconButton } from '../button.tsx';
import { ChevronDown } from '../icons.tsx';
import { Captions, Maximize, SkipBack, SkipForward, Volume2, VolumeX } from '../screen-icons.ts';
import { BARS, drawWaveform } from './media.tsx';
import { clampPosition, describePosition, findSentence, type PlayerState, type Speed, SPEEDS } from './state.ts';
import { playerTexts as texts } from './texts.ts';

/** Seconds that the arrow keys go. */
const KEY_STEP = 5;
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -KEY_STEP,
  ArrowDown: -KEY_STEP,
  ArrowRight: KEY_STEP,
  ArrowUp: KEY_STEP,
  PageDown: -30,
  PageUp: 30,
};

type SeekBarProps = Readonly<{
  state: PlayerState;
  peaks: readonly number[] | undefined;
  onSeek: (seconds: number) => void;
  onToggle: () => void;
}>;

/** The recording from left to right: a waveform if it is known, else a line. The slider over it is the platform's. */
export function SeekBar({ state, peaks, onSeek, onToggle }: SeekBarProps): ReactNode {
  const { position, length, playing } = state;
  const percent = length === undefined || length === 0 ? 0 : (100 * position) / length;
  // While it plays, a screen reader would say each second over what is heard.
  const [told, setTold] = useState(position);
  if (!playing && told !== position) setTold(position);
  const seek = (seconds: number): void => {
    setTold(seconds);
    onSeek(seconds);
  };
  const press = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined && event.key !== ' ') return;
    event.preventDefault();
    if (step === undefined) onToggle();
    else seek(clampPosition(position + step, length));
  };
  return (
    <div className="relative h-14" style={{ '--played': `${percent}%` } as CSSProperties}>
      <input
        type="range"
        aria-label={texts.position}
        aria-valuetext={describePosition({ position: told, length })}
        min={0}
        max={length ?? 0}
        step="any"
        value={position}
        disabled={length === undefined}
        onFocus={() => setTold(position)}
        onChange={(event) => seek(Number(event.currentTarget.value))}
        onKeyDown={press}
        className="peer absolute inset-0 z-10 size-full cursor-pointer opacity-0 disabled:cursor-default"
      />
      <div
        aria-hidden
        className={clsx(
          'size-full rounded-sm outline-offset-2 outline-focus peer-focus-visible:outline-2',
          playing && 'player-moves',
        )}
      >
        {peaks === undefined ? <Line /> : <Waveform peaks={peaks} />}
      </div>
    </div>
  );
}

function Waveform({ peaks }: Readonly<{ peaks: readonly number[] }>): ReactNode {
  const drawn = drawWaveform(peaks);
  const bars = (className: string): ReactNode => (
    <svg
      viewBox={`0 0 ${BARS} 100`}
      preserveAspectRatio="none"
      className={clsx('waveform absolute size-full', className)}
    >
      <path d={drawn} fill="none" stroke="currentColor" vectorEffect="non-scaling-stroke" strokeLinecap="round" />
    </svg>
  );
  return (
    <div className="@container relative size-full">
      {bars('text-line-strong')}
      {bars('player-played text-accent')}
    </div>
  );
}

function Line(): ReactNode {
  return (
    <div className="relative flex size-full items-center">
      <div className="h-1.5 w-full rounded-full bg-line" />
      <div className="player-line absolute h-1.5 w-(--played) rounded-full bg-accent" />
      <div className="player-line absolute left-(--played) size-4 -translate-x-1/2 rounded-full bg-accent" />
    </div>
  );
}

/** Seconds of the two buttons beside the position. */
export const SKIP_S = 10;

type ControlsProps = Readonly<{
  state: PlayerState;
  speed: Speed;
  /** Where sentences begin, in seconds; empty where no times are known. */
  starts: readonly number[];
  onSeek: (seconds: number) => void;
  onSpeed: (speed: Speed) => void;
  onMute: () => void;
  /** Returns whether captions are shown after it; left out where there are none. */
  onCaptions?: (() => boolean) | undefined;
  /** Left out where there is no picture. */
  onFullScreen?: (() => void) | undefined;
}>;

/** What is pressed more seldom than play. */
export function Controls({
  state,
  speed,
  starts,
  onSeek,
  onSpeed,
  onMute,
  onCaptions,
  onFullScreen,
}: ControlsProps): ReactNode {
  const { position, muted, length } = state;
  return (
    <div className="flex flex-wrap items-center">
      <SkipButton label={texts.back} off={length === undefined} onClick={() => onSeek(position - SKIP_S)}>
        −10
      </SkipButton>
      <SkipButton label={texts.forward} off={length === undefined} onClick={() => onSeek(position + SKIP_S)}>
        +10
      </SkipButton>
      {starts.length > 1 && <SentenceButtons starts={starts} position={position} onSeek={onSeek} />}
      <span className="grow" />
      <SpeedSelect speed={speed} onSpeed={onSpeed} />
      <IconButton label={muted ? texts.unmute : texts.mute} icon={muted ? VolumeX : Volume2} onClick={onMute} />
      {onCaptions !== undefined && <CaptionsButton onPress={onCaptions} />}
      {onFullScreen !== undefined && <IconButton label={texts.fullScreen} icon={Maximize} onClick={onFullScreen} />}
    </div>
  );
}

function SkipButton({
  label,
  off,
  onClick,
  children,
}: Readonly<{ label: string; off: boolean; onClick: () => void; children: ReactNode }>): ReactNode {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      disabled={off}
      onClick={onClick}
      className={clsx(
        'touch tabular rounded-control text-sm font-medium text-muted transition-colors',
        'hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-60',
      )}
    >
      {children}
    </button>
  );
}

function SentenceButtons({
  starts,
  position,
  onSeek,
}: Pick<ControlsProps, 'starts' | 'onSeek'> & Readonly<{ position: number }>): ReactNode {
  const go = (direction: 'previous' | 'next'): void => {
    const start = findSentence(starts, position, direction);
    if (start !== undefined) onSeek(start);
  };
  return (
    <>
      <IconButton label={texts.previousSentence} icon={SkipBack} onClick={() => go('previous')} />
      <IconButton label={texts.nextSentence} icon={SkipForward} onClick={() => go('next')} />
    </>
  );
}

function CaptionsButton({ onPress }: Readonly<{ onPress: () => boolean }>): ReactNode {
  const [shown, setShown] = useState(false);
  return (
    <IconButton
      label={texts.captions}
      aria-pressed={shown}
      icon={Captions}
      iconClass={clsx('size-5', shown && 'text-accent-ink')}
      onClick={() => setShown(onPress())}
    />
  );
}

function SpeedSelect({ speed, onSpeed }: Readonly<{ speed: Speed; onSpeed: (speed: Speed) => void }>): ReactNode {
  return (
    <span className="relative">
      <select
        aria-label={texts.speed}
        title={texts.speed}
        value={speed}
        onChange={({ currentTarget }) => onSpeed(SPEEDS.find((one) => one === Number(currentTarget.value)) ?? 1)}
        className={clsx(
          'touch tabular w-16 cursor-pointer appearance-none rounded-control bg-transparent pr-5 pl-2 text-sm',
          'font-medium text-muted transition-colors hover:bg-sunken hover:text-ink',
        )}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {texts.formatSpeed(one)}
          </option>
        ))}
      </select>
      <ChevronDown className="pointer-events-none absolute top-1/2 right-1 size-4 -translate-y-1/2 text-muted" />
    </span>
  );
}
