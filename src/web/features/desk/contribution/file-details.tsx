import { useQuery } from '@tanstack/react-query';
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { filePath, previewPath } from '#contract/desk-files.ts';
import type { DeskContribution, DeskFile } from '#contract/desk.ts';
import { findImageRights, IMAGE_RIGHTS_WORDS, type ImageRights } from '#contract/media-uploads.ts';
import { type BackendClient, useBackend } from '#web/backend/client.ts';
import type { DeskServer } from '#web/backend/desk-server.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { decodeText, readMediaStart } from '#web/backend/media.ts';
import { IconButton } from '#web/ui/button.tsx';
import { FULL_SCREEN } from '#web/ui/dialog.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { X } from '#web/ui/icons.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Download } from '#web/ui/screen-icons.ts';
import { FieldError, Select } from '#web/ui/field.tsx';
import { deskTexts } from '../texts.ts';
import { DownloadFailure, type Downloads, inTurn, useDesk, useDeskAction, useDeskServer } from '../use-desk.tsx';
import type { StoredFile } from './stored-files.ts';
import { contributionTexts as texts } from './texts.ts';

type FilePreviewProps = Readonly<{
  contribution: number;
  stored: StoredFile;
  downloads: Downloads;
  onClose: () => void;
}>;

/** Shows a document on the whole screen if the browser can. */
export function FilePreview({ contribution, stored, downloads, onClose }: FilePreviewProps): ReactNode {
  const name = texts.fileName(stored);
  const path = filePath(contribution, stored.file.id);
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Content {...FULL_SCREEN}>
          <div className="flex items-center justify-between gap-3 border-b border-line px-4 py-1.5 sm:px-6">
            <Dialog.Title className="min-w-0 truncate font-medium">{texts.namePreview(name)}</Dialog.Title>
            <span className="flex shrink-0">
              <IconButton label={texts.downloadWhat(name)} icon={Download} onClick={() => downloads.download(path)} />
              <Dialog.Close asChild>
                <IconButton label={deskTexts.close} icon={X} />
              </Dialog.Close>
            </span>
          </div>
          <div className="p-4 empty:hidden">
            <DownloadFailure of={downloads} keys={[path]} />
          </div>
          {stored.use === 'pdf' && !navigator.pdfViewerEnabled ? (
            <Middle>
              <Notice>{texts.noPdf}</Notice>
            </Middle>
          ) : (
            <Content contribution={contribution} stored={stored} name={name} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type ContentProps = Readonly<{ contribution: number; stored: StoredFile; name: string }>;

function Content({ contribution, stored, name }: ContentProps): ReactNode {
  const { data: preview, isPending } = usePreview(contribution, stored);
  if (preview === undefined) {
    return (
      <Middle>
        {isPending ? (
          <output className="text-muted">{texts.previewLoading}</output>
        ) : (
          <Notice tone="caution" live>
            {texts.previewFailed}
          </Notice>
        )}
      </Middle>
    );
  }
  if (preview.status === 'pdf') {
    // No browser opens its PDF viewer in a sandbox; the address answers nothing but a PDF.
    // oxlint-disable-next-line react/iframe-missing-sandbox -- see above
    return <iframe src={preview.url} title={texts.namePreview(name)} className="min-h-0 w-full flex-1 bg-sunken" />;
  }
  return (
    <div className="min-h-0 flex-1 overflow-auto px-4 py-6 sm:px-6">
      {preview.whole === 'cut' && (
        <div className="mx-auto mb-4 max-w-measure">
          <Notice>{texts.cut(formatNumber(MAX_TEXT))}</Notice>
        </div>
      )}
      <p className="mx-auto max-w-measure leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
        {preview.text === '' ? texts.empty : preview.text}
      </p>
    </div>
  );
}

function Middle({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return <div className="mx-auto flex w-full max-w-column flex-1 flex-col justify-center px-4 py-8">{children}</div>;
}

/** Characters shown; longer texts are downloaded. */
const MAX_TEXT = 200_000;
const BYTES_A_CHARACTER = 4;
/** A PDF has its signature within this many bytes. */
const PDF_HEAD = 1_024;

type Preview =
  /** A one-time address for the frame. */
  Readonly<{ status: 'pdf'; url: string }> | Readonly<{ status: 'text'; text: string; whole: 'yes' | 'cut' }>;

function usePreview(contribution: number, { file, use }: StoredFile) {
  const backend = useBackend();
  const server = useDeskServer();
  return useQuery({
    queryKey: ['desk', 'preview', contribution, file.id],
    queryFn: () => (use === 'text' ? loadText(backend, file.path) : loadPdf(backend, server, { contribution, file })),
    staleTime: Infinity,
  });
}

async function loadText(backend: BackendClient, path: string): Promise<Preview> {
  const text = decodeText(await (await readMediaStart(backend, path, MAX_TEXT * BYTES_A_CHARACTER)).arrayBuffer());
  if (text.length <= MAX_TEXT) return { status: 'text', text, whole: 'yes' };
  return { status: 'text', text: text.slice(0, MAX_TEXT), whole: 'cut' };
}

type Which = Readonly<{ contribution: number; file: StoredFile['file'] }>;

/** Checks the signature first, because a frame does not report that it shows nothing. */
async function loadPdf(backend: BackendClient, server: DeskServer, { contribution, file }: Which): Promise<Preview> {
  const head = await (await readMediaStart(backend, file.path, PDF_HEAD)).text();
  if (!head.includes('%PDF-')) throw new Error('The file is no PDF.');
  return { status: 'pdf', url: await server.ticket(previewPath(contribution, file.id)) };
}

const rightsTexts = texts.imageRights;

type FileRightsProps = Readonly<{
  contribution: number;
  file: DeskFile;
  name: string;
  onChanged: (contribution: DeskContribution) => void;
}>;

/** Who can be recognised on a picture or in a film, as the contributor said it or the team found out. */
export function FileRights({ contribution, file, name, onChanged }: FileRightsProps): ReactNode {
  const desk = useDesk();
  const { run, busy, error } = useDeskAction({
    ...inTurn(contribution),
    mutationFn: (rights: ImageRights) => desk.answerImageRights(file.id, rights),
    onSuccess: onChanged,
  });
  const value = file.imageRights ?? '';
  return (
    <div className="w-full sm:pl-8">
      <Select
        aria-label={rightsTexts.label(name)}
        aria-busy={busy || undefined}
        value={value}
        onChange={(event) => {
          const rights = findImageRights(event.target.value);
          if (rights !== undefined) void run(rights);
        }}
        className="mt-1 max-w-96 print:hidden"
        options={Object.entries(IMAGE_RIGHTS_WORDS)}
      >
        {value === '' && (
          <option value="" disabled>
            {rightsTexts.notAsked}
          </option>
        )}
      </Select>
      <p className="hidden text-sm print:block">{value === '' ? rightsTexts.notAsked : IMAGE_RIGHTS_WORDS[value]}</p>
      {error !== null && (
        <FieldError>
          {rightsTexts.failed}. {deskTexts.problems[getDeskProblem(error)]}
        </FieldError>
      )}
    </div>
  );
}
