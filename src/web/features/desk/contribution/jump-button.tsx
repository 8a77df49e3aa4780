import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Place } from './spoken-places.ts';
import { contributionTexts as texts } from './texts.ts';

/** Listens from there. */
export function JumpButton({
  place,
  label,
  onJump,
}: Readonly<{ place: Place; label: string; onJump: (place: Place) => void }>): ReactNode {
  return (
    <button
      type="button"
      aria-label={texts.listenFrom(label)}
      onClick={() => onJump(place)}
      className="tabular first:-ml-1.5 inline-flex min-h-7 items-center gap-1 rounded-sm px-1.5 text-sm font-medium whitespace-nowrap text-accent-ink hover:bg-accent-wash pointer-coarse:min-h-11"
    >
      <Play aria-hidden className="size-3.5" />
      {label}
    </button>
  );
}
