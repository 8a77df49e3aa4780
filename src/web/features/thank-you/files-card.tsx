import type { ReactNode } from 'react';
import { downloadBlob, getFileName, getKind } from '#web/submission/files.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Download } from '#web/ui/screen-icons.ts';
import { texts } from './texts.ts';
import type { Contribution } from './use-contribution.ts';

export function FilesCard({ contribution }: Readonly<{ contribution: Contribution }>): ReactNode {
  const { status, files, reload } = contribution;
  const here = status === 'here';
  return (
    <SectionCard title={here && files.length > 0 ? texts.filesHere : texts.filesTitle}>
      {status === 'failed' && (
        <Notice
          tone="caution"
          live
          action={
            <Button variant="secondary" onClick={reload}>
              {texts.retry}
            </Button>
          }
        >
          {texts.filesFailed}
        </Notice>
      )}
      {files.length > 0 && (
        <ul className="flex flex-col gap-2">
          {files.map((file) => (
            <FileRow
              key={file.path}
              name={getFileName(file)}
              detail={texts.kinds[getKind(file.type)]}
              state={here ? 'waiting' : 'done'}
            />
          ))}
        </ul>
      )}
      {files.length === 0 && status === 'loading' && <output className="text-muted">{texts.filesLoading}</output>}
      {files.length === 0 && (here || status === 'ready') && <p className="text-muted">{texts.noFiles}</p>}
    </SectionCard>
  );
}

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
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard
        tabIndex={0}
        className="max-h-64 max-w-measure overflow-y-auto rounded-control bg-sunken p-4 whitespace-pre-wrap"
      >
        {transcript}
      </section>
    </SectionCard>
  );
}
