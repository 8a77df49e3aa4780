import { UncleanableError, type Edit, type FileReader } from './edits.ts';
import { planGif, planPng, planWebp } from './png-gif-webp.ts';
import { planIsoMedia } from './iso-media.ts';
import { planJpeg } from './jpeg.ts';
import { planMatroska } from './matroska.ts';

export { applyEdits, createFileReader, measureEdited, UncleanableError, type Edit } from './edits.ts';

const HEAD_BYTES = 12;

/** By the bytes themselves, because a name or a declared type may be wrong. */
const FORMATS: readonly (readonly [isFormat: (head: string) => boolean, plan: typeof planJpeg])[] = [
  [(head) => head.startsWith('\xff\xd8\xff'), planJpeg],
  [(head) => head.startsWith('\x89PNG\r\n\x1a\n'), planPng],
  [(head) => head.startsWith('RIFF') && head.slice(8) === 'WEBP', planWebp],
  [(head) => /^GIF8[79]a/.test(head), planGif],
  [(head) => ['ftyp', 'moov', 'wide', 'mdat', 'free', 'skip'].includes(head.slice(4, 8)), planIsoMedia],
  [(head) => head.startsWith('\x1a\x45\xdf\xa3'), planMatroska],
];

/**
 * What to change in a picture or film so that it tells neither place nor device, without encoding it again. Throws
 * UncleanableError where that is not certain: unknown formats, broken or contradictory files.
 */
export async function planCleanCopy(file: FileReader): Promise<readonly Edit[]> {
  const head = (await file.read(0, Math.min(HEAD_BYTES, file.size))).toString('latin1');
  const format = FORMATS.find(([isFormat]) => isFormat(head));
  if (format === undefined) throw new UncleanableError('an unknown format');
  try {
    return await format[1](file);
  } catch (error) {
    // A length that a file lies about ends a read outside of a buffer.
    if (error instanceof RangeError) throw new UncleanableError('a number points outside', { cause: error });
    throw error;
  }
}
