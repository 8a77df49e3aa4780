import { clsx } from 'clsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useFieldAttributes } from './field.tsx';

/** What every control for text looks like; the text is 16 px so that phones do not zoom in. */
export const CONTROL_CLASS = clsx(
  'w-full rounded-control border border-line-strong bg-surface px-3.5 py-2.5 text-base text-ink transition-colors',
  'placeholder:text-muted hover:border-ink focus:border-accent',
  'focus-visible:outline-2 focus-visible:outline-offset-0 aria-invalid:border-record',
  'disabled:bg-sunken disabled:text-muted read-only:bg-sunken',
);

export function TextInput({ className, ...rest }: ComponentPropsWithRef<'input'>): ReactNode {
  return <input type="text" {...useFieldAttributes()} {...rest} className={clsx(CONTROL_CLASS, 'touch', className)} />;
}
