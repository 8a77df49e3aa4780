import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** Heights of the five bars, in units of the 32-unit drawing. */
const BARS = [6, 14, 20, 11, 5];

/** The product's sign: a voice becoming a post. `live` lets the level move while something is going on. */
export function Mark({ className, live = false }: Readonly<{ className?: string; live?: boolean }>): ReactNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={clsx('shrink-0', className ?? 'size-8')}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      {BARS.map((height, index) => (
        <rect
          key={index}
          x={6.2 + index * 4.4}
          y={16 - height / 2}
          width="2"
          height={height}
          rx="1"
          className={clsx('fill-on-accent', live && 'animate-breathe')}
          style={live ? { animationDelay: `${index * 0.14}s` } : undefined}
        />
      ))}
    </svg>
  );
}
