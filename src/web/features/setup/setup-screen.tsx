import type { ReactNode } from 'react';
import { ArrowLeft } from '#web/ui/icons.tsx';
import { Link } from '#web/ui/link.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { setupTexts as texts } from './texts.ts';
import { TranscriptionPart } from './transcription/transcription-part.tsx';

/** Each part shows its state, what is missing, how to switch it on, and a press that tries it. */
const PARTS = [TranscriptionPart] as const;

/** /admin/einrichtung: what this installation can do, and what is missing. */
export function SetupScreen(): ReactNode {
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-6 sm:px-6 sm:py-10">
      <Link href="/admin" className="touch inline-flex items-center gap-2">
        <ArrowLeft aria-hidden className="size-4" />
        {texts.back}
      </Link>
      <div className="mt-3 mb-8">
        <ScreenTitle>{texts.title}</ScreenTitle>
        <p className="mt-3 max-w-measure text-lg text-muted">{texts.lead}</p>
      </div>
      <div className="flex flex-col gap-6">
        {PARTS.map((Part) => (
          <Part key={Part.name} />
        ))}
      </div>
    </div>
  );
}
