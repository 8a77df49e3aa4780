import { clsx } from 'clsx';
import { type ReactNode, useEffect, useState } from 'react';
import { uiTexts } from './texts.ts';

export type LevelMeterProps = Readonly<{
  /** The level now, 0 (silence) to 1 (as loud as it gets); asked while active. Another function starts over. */
  read: () => number;
  state: 'idle' | 'active' | 'paused';
  /** The microphone's colour while active: recording is red, a conversation is the accent. */
  tone?: 'record' | 'accent';
  /** The centre of the ring: a button, a timer. */
  children?: ReactNode;
}>;

const READ_MS = 50;
const STEPS = 50;
const INNER = 78;
const SHORTEST = 5;
const LONGEST = 30;

/** Each tick's direction, and how far it answers the voice: an even, never repeating-looking profile from 0.35 to 1. */
const TICKS = Array.from({ length: 72 }, (_, index) => {
  const angle = (index / 72) * 2 * Math.PI;
  const share = 0.675 + 0.2 * Math.sin(angle * 5) + 0.125 * Math.cos(angle * 11 + 1);
  return { x: Math.sin(angle), y: -Math.cos(angle), share };
});

/**
 * A ring of ticks, like an instrument's dial: their length answers the voice at once. Says its value in words too.
 * Reads the level itself, so that nothing around it is rendered twenty times a second.
 */
export function LevelMeter({ read, state, tone = 'record', children }: LevelMeterProps): ReactNode {
  const value = useLevel(read, state === 'active');
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
        <path
          d={drawTicks(value)}
          className={clsx(
            'stroke-current stroke-2 [stroke-linecap:round]',
            value > 0.04 ? 'opacity-100' : 'opacity-60',
          )}
        />
      </svg>
      <div className="absolute inset-0 flex flex-col items-center justify-center">{children}</div>
    </div>
  );
}

/** 0 while inactive; in fiftieths, because less is not seen. */
function useLevel(read: () => number, active: boolean): number {
  const [level, setLevel] = useState(0);
  useEffect(() => {
    if (!active) return undefined;
    const show = (): void => setLevel(Math.round(Math.min(1, Math.max(0, read())) * STEPS) / STEPS);
    show();
    const timer = setInterval(show, READ_MS);
    return () => clearInterval(timer);
  }, [read, active]);
  return active ? level : 0;
}

/** One path, drawn with every level: no transition, so it answers at once and moves only with the voice. */
function drawTicks(level: number): string {
  const at = (x: number, y: number, radius: number) => `${(x * radius).toFixed(2)} ${(y * radius).toFixed(2)}`;
  const end = (share: number) => INNER + SHORTEST + level * share * LONGEST;
  return TICKS.map(({ x, y, share }) => `M${at(x, y, INNER)}L${at(x, y, end(share))}`).join('');
}

function getColour(state: LevelMeterProps['state'], tone: 'record' | 'accent'): string {
  if (state !== 'active') return 'text-line-strong';
  return tone === 'record' ? 'text-record' : 'text-accent';
}
