import { clsx } from 'clsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { CONTROL_CLASS, useFieldAttributes } from './field.tsx';

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
