import { X } from '#web/ui/icons.tsx';
import { useState, type ReactNode } from 'react';
import { inMegabytes } from '#web/submission/texts.ts';
import type { ChosenFile } from '#web/submission/use-chosen-files.ts';
import { IconButton } from '#web/ui/button.tsx';
import { uiTexts } from '#web/ui/texts.ts';

/** The chosen picture or video, large enough to see that it is the right one. */
export function FilePreview({ chosen, onRemove }: Readonly<{ chosen: ChosenFile; onRemove: () => void }>): ReactNode {
  const { file, preview } = chosen;
  return (
    <figure className="overflow-hidden rounded-card border border-line bg-surface">
      <Picture key={preview} type={file.type} preview={preview} />
      <figcaption className="flex items-center gap-3 py-2 pr-1.5 pl-4">
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium" title={file.name}>
            {file.name}
          </span>
          <span className="tabular block text-sm text-muted">{inMegabytes(file.size, 1)}</span>
        </span>
        <IconButton
          label={uiTexts.removeFile(file.name)}
          icon={<X aria-hidden className="size-5" />}
          onClick={onRemove}
        />
      </figcaption>
    </figure>
  );
}

/** Nothing at all where the browser cannot show it: that says nothing about the file. */
function Picture({ type, preview }: Readonly<{ type: string; preview: string | undefined }>): ReactNode {
  const [broken, setBroken] = useState(false);
  if (preview === undefined || broken) return null;
  const look = 'block max-h-80 w-full bg-sunken object-contain';
  if (type.startsWith('video/')) {
    return (
      <video
        controls
        muted
        playsInline
        preload="metadata"
        src={preview}
        onError={() => setBroken(true)}
        className={look}
      />
    );
  }
  return <img src={preview} alt="" onError={() => setBroken(true)} className={look} />;
}
