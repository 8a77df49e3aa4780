import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export type ProgressBarProps = Readonly<{
  label: string;
  /** 0 to 100; left out while nothing can be measured. */
  percent?: number;
  /** Whether label and percentage are shown above the bar. */
  visibleLabel?: boolean;
  tone?: 'accent' | 'good' | 'record';
}>;

const TONES = { accent: 'bg-accent', good: 'bg-good', record: 'bg-record' } as const;

export function ProgressBar({ label, percent, visibleLabel = true, tone = 'accent' }: ProgressBarProps): ReactNode {
  const value = percent === undefined ? undefined : Math.round(Math.min(100, Math.max(0, percent)));
  return (
    <div>
      {visibleLabel && (
        <div aria-hidden className="mb-2 flex justify-between gap-4 text-sm">
          <span className="text-muted">{label}</span>
          {value !== undefined && <span className="tabular font-medium whitespace-nowrap">{value} %</span>}
        </div>
      )}
      <progress aria-label={label} max={100} value={value} className="sr-only" />
      <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-line">
        <div
          className={clsx(
            'h-full rounded-full',
            TONES[tone],
            value === undefined ? 'animate-sweep w-1/3' : 'transition-[width]',
          )}
          style={value === undefined ? undefined : { width: `${value}%` }}
        />
      </div>
    </div>
  );
}
