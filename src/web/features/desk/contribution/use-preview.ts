import { useEffect, useState } from 'react';
import { previewPath } from '#contract/desk-files.ts';
import { useBackend, type BackendClient } from '#web/backend/client.ts';
import type { DeskServer } from '#web/backend/desk-server.ts';
import { beginningOfMedia } from '#web/backend/media.ts';
import { useDeskServer } from '../use-desk.ts';
import type { StoredFile } from './stored-files.ts';

/** More text than this nobody reads in a window. */
export const MOST_TEXT = 200_000;
const BYTES_A_CHARACTER = 4;
/** Within so many bytes a PDF says that it is one. */
const PDF_HEAD = 1_024;

export type Preview =
  | Readonly<{ status: 'loading' | 'failed' }>
  /** An address that opens once, for the frame. */
  | Readonly<{ status: 'pdf'; url: string }>
  | Readonly<{ status: 'text'; text: string; whole: 'yes' | 'cut' }>;

/** What a file shows of itself. */
export function usePreview(contribution: number, { file, use }: StoredFile): Preview {
  const backend = useBackend();
  const server = useDeskServer();
  const [preview, setPreview] = useState<Preview>({ status: 'loading' });
  useEffect(() => {
    let current = true;
    const shown = use === 'text' ? textOf(backend, file.path) : pdfOf(backend, server, { contribution, file });
    shown.then(
      (found) => current && setPreview(found),
      () => current && setPreview({ status: 'failed' }),
    );
    return () => {
      current = false;
    };
  }, [backend, contribution, file, server, use]);
  return preview;
}

async function textOf(backend: BackendClient, path: string): Promise<Preview> {
  const text = await (await beginningOfMedia(backend, path, MOST_TEXT * BYTES_A_CHARACTER)).text();
  if (text.length <= MOST_TEXT) return { status: 'text', text, whole: 'yes' };
  return { status: 'text', text: text.slice(0, MOST_TEXT), whole: 'cut' };
}

type Which = Readonly<{ contribution: number; file: StoredFile['file'] }>;

/** Looked at first: a frame cannot tell that it shows nothing. */
async function pdfOf(backend: BackendClient, server: DeskServer, { contribution, file }: Which): Promise<Preview> {
  const head = await (await beginningOfMedia(backend, file.path, PDF_HEAD)).text();
  if (!head.includes('%PDF-')) return { status: 'failed' };
  return { status: 'pdf', url: await server.ticket(previewPath(contribution, file.id)) };
}
