import type { ReactNode } from 'react';

const BARS = [0, 0.18, 0.36];

/** Three bars like a level at work. Never alone: words always stand beside it. */
export function BusyMark(): ReactNode {
  return (
    <span aria-hidden className="inline-flex h-4 items-center gap-0.5">
      {BARS.map((delay) => (
        <span
          key={delay}
          className="animate-breathe block h-3.5 w-0.5 rounded-full bg-current"
          style={{ animationDelay: `${delay}s` }}
        />
      ))}
    </span>
  );
}
