import { clsx } from 'clsx';
import type { ReactNode } from 'react';

/** The place of something whose size is known. Always inside a region that says in words what is being loaded. */
export function Skeleton({ className }: Readonly<{ className?: string }>): ReactNode {
  return <span aria-hidden className={clsx('animate-breathe block rounded-sm bg-line', className ?? 'h-4 w-full')} />;
}
