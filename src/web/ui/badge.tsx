import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { Icon } from './icons.tsx';

export type BadgeTone = 'neutral' | 'accent' | 'good' | 'caution' | 'record';

const LOOK: Readonly<Record<BadgeTone, string>> = {
  neutral: 'bg-sunken text-ink',
  accent: 'bg-accent-wash text-accent-ink',
  good: 'bg-good-wash text-good-ink',
  caution: 'bg-caution-wash text-caution-ink',
  record: 'bg-record-wash text-record-ink',
};

/** A word about a thing, shown by shape and text; the colour only helps. */
export function Badge({
  tone = 'neutral',
  icon: Shape,
  children,
}: Readonly<{ tone?: BadgeTone; icon?: Icon; children: ReactNode }>): ReactNode {
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-1.5 rounded-sm px-2 py-0.5 text-sm font-medium',
        'max-sm:wrap-anywhere sm:whitespace-nowrap',
        LOOK[tone],
      )}
    >
      {Shape && <Shape className="size-4" />}
      {children}
    </span>
  );
}
