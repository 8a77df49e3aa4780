import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { uiTexts } from './texts.ts';

export type LevelMeterProps = Readonly<{
  /** 0 (silence) to 1 (as loud as it gets). */
  level: number;
  state: 'idle' | 'active' | 'paused';
  /** The microphone's colour while active: recording is red, a conversation is the accent. */
  tone?: 'record' | 'accent';
  /** The centre of the ring: a button, a timer. */
  children?: ReactNode;
}>;

const TICKS = 72;
const INNER = 78;
const SHORTEST = 5;
const LONGEST = 30;

/** How far each tick answers the voice: an even, never repeating-looking profile between 0.35 and 1. */
const PROFILE = Array.from({ length: TICKS }, (_, index) => {
  const angle = (index / TICKS) * 2 * Math.PI;
  return 0.675 + 0.2 * Math.sin(angle * 5) + 0.125 * Math.cos(angle * 11 + 1);
});

/** A ring of ticks, like an instrument's dial: their length answers the voice at once. Says its value in words too. */
export function LevelMeter({ level, state, tone = 'record', children }: LevelMeterProps): ReactNode {
  const value = state === 'active' ? Math.min(1, Math.max(0, level)) : 0;
  const percent = Math.round(value * 10) * 10;
  return (
    <div className="relative mx-auto aspect-square w-full max-w-72">
      <meter
        aria-label={uiTexts.level}
        aria-valuetext={uiTexts.levelValue(percent)}
        min={0}
        max={100}
        value={percent}
        className="sr-only"
      />
      <svg
        viewBox="-120 -120 240 240"
        aria-hidden
        className={clsx('absolute inset-0 size-full', getColour(state, tone))}
      >
        {PROFILE.map((share, index) => (
          <Tick
            key={index}
            angle={(index / TICKS) * 360}
            length={SHORTEST + value * share * LONGEST}
            on={value > 0.04}
          />
        ))}
      </svg>
      <div className="absolute inset-0 flex flex-col items-center justify-center">{children}</div>
    </div>
  );
}

/** Drawn again with every level: no transition, so it answers at once and moves only with the voice. */
function Tick({ angle, length, on }: Readonly<{ angle: number; length: number; on: boolean }>): ReactNode {
  return (
    <line
      x1="0"
      x2="0"
      y1={-INNER}
      y2={-INNER - length}
      transform={`rotate(${angle})`}
      className={clsx('stroke-current stroke-2 [stroke-linecap:round]', on ? 'opacity-100' : 'opacity-60')}
    />
  );
}

function getColour(state: LevelMeterProps['state'], tone: 'record' | 'accent'): string {
  if (state !== 'active') return 'text-line-strong';
  return tone === 'record' ? 'text-record' : 'text-accent';
}
