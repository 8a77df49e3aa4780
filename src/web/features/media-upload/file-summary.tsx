import { Image, Video } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import { inMegabytes } from '#web/submission/texts.ts';
import type { ChosenFile } from '#web/submission/use-chosen-files.ts';
import type { MediaKind } from './texts.ts';

/** What was chosen, in one line. */
export function FileSummary({ kind, file }: Readonly<{ kind: MediaKind; file: ChosenFile }>): ReactNode {
  const Icon = kind === 'video' ? Video : Image;
  return (
    <p className="flex items-center gap-2">
      <Icon aria-hidden className="size-5 shrink-0" />
      <span className="truncate text-ink" title={file.file.name}>
        {file.file.name}
      </span>
      <span className="tabular shrink-0">{inMegabytes(file.file.size, 1)}</span>
    </p>
  );
}
