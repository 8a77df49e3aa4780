import type { ReactNode } from 'react';
import { texts } from './texts.ts';

/** To listen while correcting. */
export function KeptRecording({ url }: Readonly<{ url: string }>): ReactNode {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-sm font-medium">{texts.listen}</p>
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the transcript below is its text */}
      <audio controls preload="metadata" src={url} aria-label={texts.listen} className="w-full" />
    </div>
  );
}
