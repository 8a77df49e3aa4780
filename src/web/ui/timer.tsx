import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** §2.6: mm:ss with two-digit seconds. Fractions and negative values are cut. */
export function minutesAndSeconds(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = String(Math.floor(whole / 60)).padStart(2, '0');
  return `${minutes}:${String(whole % 60).padStart(2, '0')}`;
}

export function Timer({
  seconds,
  label,
  className,
}: Readonly<{ seconds: number; label: string; className?: string }>): ReactNode {
  return (
    <span role="timer" aria-label={label} className={clsx('tabular font-semibold', className ?? 'text-3xl')}>
      {minutesAndSeconds(seconds)}
    </span>
  );
}
