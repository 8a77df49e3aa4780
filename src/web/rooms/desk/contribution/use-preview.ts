import { useEffect, useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { downloadMedia } from '#web/backend/media.ts';
import type { StoredFile } from './stored-files.ts';

/** More text than this nobody reads in a window. */
export const MOST_TEXT = 200_000;

export type Preview =
  | Readonly<{ status: 'loading' | 'failed' }>
  /** An object address of a PDF. */
  | Readonly<{ status: 'pdf'; url: string }>
  | Readonly<{ status: 'text'; text: string; whole: 'yes' | 'cut' }>;

/** What a file shows of itself; gone from memory when it is closed. */
export function usePreview({ file, use }: StoredFile): Preview {
  const backend = useBackend();
  const [preview, setPreview] = useState<Preview>({ status: 'loading' });
  useEffect(() => {
    let current = true;
    let url: string | undefined;
    const show = async (): Promise<Preview> => {
      const blob = await downloadMedia(backend, file.path);
      if (use === 'text') return textOf(await blob.slice(0, 4 * MOST_TEXT).text());
      if (!(await isPdf(blob))) return { status: 'failed' };
      // Never what the file says it is: the browser's viewer for PDF is all that may open it.
      url = URL.createObjectURL(blob.slice(0, blob.size, 'application/pdf'));
      if (!current) URL.revokeObjectURL(url);
      return { status: 'pdf', url };
    };
    show().then(
      (shown) => current && setPreview(shown),
      () => current && setPreview({ status: 'failed' }),
    );
    return () => {
      current = false;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [backend, file.path, use]);
  return preview;
}

function textOf(text: string): Preview {
  if (text.length <= MOST_TEXT) return { status: 'text', text, whole: 'yes' };
  return { status: 'text', text: text.slice(0, MOST_TEXT), whole: 'cut' };
}

async function isPdf(blob: Blob): Promise<boolean> {
  return (await blob.slice(0, 1_024).text()).includes('%PDF-');
}
