import { clsx } from 'clsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useFieldAttributes } from './field.tsx';
import { CONTROL_CLASS } from './text-input.tsx';

export function TextArea({ className, ...rest }: ComponentPropsWithRef<'textarea'>): ReactNode {
  return (
    <textarea
      rows={6}
      {...useFieldAttributes()}
      {...rest}
      className={clsx(CONTROL_CLASS, 'field-sizing-content min-h-32 resize-y leading-relaxed', className)}
    />
  );
}
