import type { ReactNode } from 'react';
import { piecesOf } from './excerpt.ts';

/** An excerpt as text, what was searched for marked. */
export function ExcerptText({ excerpt }: Readonly<{ excerpt: string }>): ReactNode {
  return piecesOf(excerpt).map(({ text, found }, index) =>
    found ? (
      <mark key={index} className="rounded-[3px] bg-accent-wash px-0.5 font-medium text-accent-ink">
        {text}
      </mark>
    ) : (
      <span key={index}>{text}</span>
    ),
  );
}
