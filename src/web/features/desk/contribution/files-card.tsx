import { type ReactNode, useState } from 'react';
import { archivePath, filePath } from '#contract/desk-files.ts';
import type { DeskContribution } from '#contract/desk.ts';
import { showsPeople } from '#contract/media-uploads.ts';
import { useBackend } from '#web/backend/client.ts';
import { Button, IconButton } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { formatBytes, formatMoment } from '#web/ui/format.ts';
import { Eye } from '#web/ui/form-fields.tsx';
import { CircleAlert, File as FileIcon } from '#web/ui/icons.tsx';
import { Archive, Download, FileText, Image, Mic, Video } from '#web/ui/screen-icons.ts';
import { DownloadFailure, type Downloads, useDownloads } from '../use-desk.tsx';
import { FilePreview, FileRights } from './file-details.tsx';
import { downloadPath, isPublishable, type StoredFile } from './stored-files.ts';
import { contributionTexts as texts } from './texts.ts';

type FilesCardProps = Readonly<{
  id: number;
  files: readonly StoredFile[];
  onChanged: (contribution: DeskContribution) => void;
}>;

/** Lists every file with its download, and one for all of them. */
export function FilesCard({ id, files, onChanged }: FilesCardProps): ReactNode {
  const downloads = useDownloads((server, path) => server.ticket(path));
  const [preview, setPreview] = useState<StoredFile>();
  const { originals = true } = useBackend().config;
  const archive = archivePath(id);
  return (
    <SectionCard
      title={texts.files}
      action={
        <Button
          variant="secondary"
          icon={Archive}
          busy={downloads.preparing.includes(archive)}
          busyLabel={texts.preparing}
          onClick={() => downloads.download(archive)}
        >
          {texts.downloadAll}
        </Button>
      }
    >
      <div className="mb-4 empty:hidden">
        <DownloadFailure of={downloads} keys={[archive]} />
      </div>
      {files.length === 0 ? (
        <p className="text-muted">{texts.noFiles}</p>
      ) : (
        <ul className="-my-3 divide-y divide-line">
          {files.map((stored) => (
            <FileLine
              key={stored.file.id}
              contribution={id}
              stored={stored}
              downloads={downloads}
              onPreview={() => setPreview(stored)}
              onChanged={onChanged}
            />
          ))}
        </ul>
      )}
      {files.some(isPublishable) && (
        <p className="mt-4 text-sm text-muted print:hidden">{originals ? texts.cleanHint : texts.cleanedHint}</p>
      )}
      {preview !== undefined && (
        <FilePreview contribution={id} stored={preview} downloads={downloads} onClose={() => setPreview(undefined)} />
      )}
    </SectionCard>
  );
}

const ICONS = {
  audio: Mic,
  video: Video,
  picture: Image,
  document: FileText,
  transcript: FileText,
  text: FileText,
  other: FileIcon,
} as const satisfies Readonly<Record<StoredFile['name'], typeof Mic>>;

/** What the contributor calls it, its size and when it came. */
function describeFacts({ name, size, createdAt }: StoredFile['file']): string {
  const facts = [formatBytes(size ?? 0), formatMoment(createdAt)];
  return (name ? [name, ...facts] : facts).join(' · ');
}

type FileLineProps = Readonly<{
  contribution: number;
  stored: StoredFile;
  downloads: Downloads;
  onPreview: () => void;
  onChanged: FilesCardProps['onChanged'];
}>;

function FileLine({ contribution, stored, downloads, onPreview, onChanged }: FileLineProps): ReactNode {
  const { file, use, presence } = stored;
  const original = filePath(contribution, file.id);
  const cleaned = isPublishable(stored);
  const { originals = true } = useBackend().config;
  const [refused, setRefused] = useState(false);
  const path = downloadPath(contribution, stored);
  // Place and device could not be taken out: the file stayed as it came.
  if (!refused && downloads.failures.get(path) === 'file_not_cleanable') setRefused(true);
  const name = texts.fileName(stored);
  const Icon = presence === 'missing' ? CircleAlert : ICONS[stored.name];
  return (
    <li className="flex flex-wrap items-center gap-x-3 py-2">
      <Icon className={presence === 'missing' ? 'size-5 shrink-0 text-record-ink' : 'size-5 shrink-0 text-muted'} />
      <div className="min-w-0 flex-1">
        <p className="font-medium [overflow-wrap:anywhere]">{name}</p>
        {presence === 'missing' ? (
          <p className="text-sm">
            <span className="font-medium text-record-ink">{texts.missing}.</span> {texts.missingText}
          </p>
        ) : (
          <p className="tabular text-sm text-muted [overflow-wrap:anywhere]">
            {describeFacts(file)}
            {cleaned && (originals || refused) && (
              <>
                {' · '}
                <button
                  type="button"
                  aria-label={texts.downloadOriginal(name)}
                  aria-busy={downloads.preparing.includes(original) || undefined}
                  onClick={() => downloads.download(original)}
                  className="rounded-sm font-medium text-accent-ink underline underline-offset-4 pointer-coarse:min-h-11"
                >
                  {texts.original}
                </button>
              </>
            )}
          </p>
        )}
        <div className="mt-2 empty:hidden">
          <DownloadFailure of={downloads} keys={[original, path]} />
        </div>
      </div>
      {presence === 'stored' && (
        <span className="flex shrink-0">
          {(use === 'pdf' || use === 'text') && (
            <IconButton label={texts.namePreview(name)} icon={Eye} onClick={onPreview} />
          )}
          <IconButton
            label={texts.downloadWhat(name)}
            icon={Download}
            aria-busy={downloads.preparing.includes(path) || undefined}
            onClick={() => downloads.download(path)}
          />
        </span>
      )}
      {file.imageRights !== undefined && showsPeople(file.type) && (
        <FileRights contribution={contribution} file={file} name={name} onChanged={onChanged} />
      )}
    </li>
  );
}
