import type { ReactNode } from 'react';
import { fileNameOf } from '#web/submission/files.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { kindOf } from './summary.ts';
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
              name={fileNameOf(file.path)}
              detail={texts.kinds[kindOf(file.type)]}
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
