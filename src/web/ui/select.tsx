import { clsx } from 'clsx';
import { ChevronDown } from './icons.tsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useFieldAttributes } from './field.tsx';
import { CONTROL_CLASS } from './text-input.tsx';

/** The platform's own control: it works with a thumb, a keyboard and a screen reader. */
export function Select({ className, children, ...rest }: ComponentPropsWithRef<'select'>): ReactNode {
  return (
    <div className={clsx('relative', className)}>
      <select
        {...useFieldAttributes()}
        {...rest}
        className={clsx(CONTROL_CLASS, 'touch cursor-pointer appearance-none truncate bg-surface! pr-11')}
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3.5 size-5 -translate-y-1/2 text-muted"
      />
    </div>
  );
}
