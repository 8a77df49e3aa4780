import { useEffect, useRef, type ReactNode } from 'react';
import { Notice, type Tone } from './notice.tsx';

/** `destructive` is §8's error style. */
export type ToastVariant = 'default' | 'good' | 'caution' | 'destructive';

export type ToastMessage = Readonly<{
  id: number;
  title: string;
  description?: string | undefined;
  variant?: ToastVariant;
}>;

export const TONES: Readonly<Record<ToastVariant, Tone>> = {
  default: 'info',
  good: 'good',
  caution: 'caution',
  destructive: 'error',
};

/** A message that stands in the screen of a flow, in sight without moving more of the page than needed. */
export function StepMessage({ message }: Readonly<{ message: ToastMessage }>): ReactNode {
  const { title, description, variant = 'default' } = message;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Newer browsers answer with a promise, which is no function for an effect to end with.
    place.current?.scrollIntoView?.({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} data-variant={variant} className="animate-rise">
      <Notice tone={TONES[variant]} title={title} live>
        {description}
      </Notice>
    </div>
  );
}
