import { CircleAlert, CircleCheck, File as FileIcon, X } from './icons.tsx';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { uiTexts } from './texts.ts';

export type FileRowProps = Readonly<{
  name: string;
  /** Already formatted ('1,2 MB'). */
  size?: string;
  state: 'waiting' | 'uploading' | 'done' | 'failed';
  /** Instead of the state's own words, such as the reason of a failure. */
  detail?: string | undefined;
  /** 0 to 100 while uploading, where bytes are counted. */
  percent?: number;
  /** Object address of a small picture. */
  preview?: string | undefined;
  onRemove?: (() => void) | undefined;
}>;

/** One file in a list; stands inside a `ul`. */
export function FileRow({ name, size, state, detail, percent, preview, onRemove }: FileRowProps): ReactNode {
  const words = detail ?? uiTexts.fileState[state];
  return (
    <li className="flex items-center gap-3 rounded-control border border-line bg-surface py-2 pr-1.5 pl-3">
      <FileMark state={state} preview={preview} />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={name}>
          {name}
        </p>
        <p className={`tabular text-sm ${state === 'failed' ? 'text-record-ink' : 'text-muted'}`}>
          {[size, words].filter(Boolean).join(' · ')}
        </p>
        {state === 'uploading' && (
          <div className="mt-1.5">
            <ProgressBar
              label={`${name}: ${words}`}
              visibleLabel={false}
              {...(percent === undefined ? {} : { percent })}
            />
          </div>
        )}
      </div>
      {onRemove !== undefined && <IconButton label={uiTexts.removeFile(name)} icon={X} onClick={onRemove} />}
    </li>
  );
}

function FileMark({ state, preview }: Pick<FileRowProps, 'state' | 'preview'>): ReactNode {
  if (state === 'failed') return <CircleAlert className="size-6 shrink-0 text-record-ink" />;
  if (preview !== undefined)
    return <img src={preview} alt="" decoding="async" className="size-11 shrink-0 rounded-sm object-cover" />;
  if (state === 'done') return <CircleCheck className="size-6 shrink-0 text-good-ink" />;
  return <FileIcon className="size-6 shrink-0 text-muted" />;
}
