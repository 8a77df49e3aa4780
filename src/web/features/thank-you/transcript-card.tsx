import { Download } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import { downloadBlob } from '#web/submission/files.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { texts } from './texts.ts';

const TEXT = 'text/plain;charset=utf-8';

/**
 * §2.11: a scrollable box of about 16rem; it takes the focus, so that the keyboard can scroll it. The download comes
 * from memory, as the key of the contribution may have ended.
 */
export function TranscriptCard({ transcript }: Readonly<{ transcript: string }>): ReactNode {
  return (
    <SectionCard
      title={texts.transcriptTitle}
      action={
        <Button
          variant="secondary"
          icon={<Download aria-hidden className="size-5" />}
          onClick={() => downloadBlob(new Blob([transcript], { type: TEXT }), texts.transcriptFile)}
        >
          {texts.downloadTranscript}
        </Button>
      }
    >
      <section
        aria-label={texts.transcriptTitle}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrollable region must be reachable by keyboard
        tabIndex={0}
        className="max-h-64 max-w-measure overflow-y-auto rounded-control bg-sunken p-4 whitespace-pre-wrap"
      >
        {transcript}
      </section>
    </SectionCard>
  );
}
