import { EXTENSION, extensionOf } from '#contract/media-uploads.ts';
import { TEXTS } from './texts.ts';

type NamedFile = Readonly<{
  /** Path in the bucket: `{interviewId}/{file}`. */
  path: string;
  /** MIME type. */
  type: string;
  /** ISO 8601. */
  createdAt: string;
  /** What the contributor calls it. */
  originalName?: string | undefined;
}>;

const LONGEST = 100;
const OWN_NAME = /^\d+_[\da-f]{16,}(?:\.[A-Za-z\d]+)?$/;
const EDITED_TRANSCRIPT = /^transcript_\d+\.txt$/;
// Control and format characters (including right-to-left marks) and characters that Windows reserves.
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\\/:*?"<>|]+/gu;

const DAY = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone: 'Europe/Berlin' });

/** YYYY-MM-DD, of the day in Germany. */
export const formatDay = (at: Date): string => DAY.format(at);

/** Chooses a readable name that `prefix` makes unique, ignoring case. The result is one plain name, never a path. */
export function chooseFileName(file: NamedFile, prefix: string): string {
  const last = (file.path.split(/[/\\]/).at(-1) ?? '').toWellFormed().normalize('NFC');
  const extension = extensionOf(last, file.type);
  return `${prefix}_${chooseStem(file, last)}${extension === '' ? '' : `.${extension}`}`;
}

function chooseStem({ type, createdAt, originalName }: NamedFile, last: string): string {
  const day = createdAt === '' ? '' : formatDay(new Date(createdAt));
  if (EDITED_TRANSCRIPT.test(last)) return `${TEXTS.editedTranscript}_${day}`;
  const kind = TEXTS.kinds[classifyType(type)];
  if (originalName === undefined && OWN_NAME.test(last)) return `${kind}_${day}`;
  const clean = (originalName ?? last)
    .replace(EXTENSION, '')
    .normalize('NFC')
    .replaceAll(UNSAFE, ' ')
    .trim()
    .replaceAll(/\s+/g, ' ')
    .slice(0, LONGEST)
    // Of a character that was cut half would be left.
    .replace(/[. \uD800-\uDBFF]+$/, '');
  return clean === '' ? `${kind}_${day}` : clean.toWellFormed();
}

function classifyType(type: string): keyof typeof TEXTS.kinds {
  const [, kind] = /^(audio|video|image|text)\//i.exec(type) ?? [];
  const known = kind?.toLowerCase();
  return known === 'audio' || known === 'video' || known === 'image' || known === 'text' ? known : 'document';
}

/** True for types that compress well; most media are compressed already. */
export function isCompressible(type: string): boolean {
  return /^text\/|[/+](?:json|xml|rtf|javascript)\b|^image\/(?:svg|bmp|tiff)/i.test(type);
}

/** Formats `Content-Disposition` (RFC 6266) with an ASCII name and the real one. */
export function formatContentDisposition(name: string): string {
  const plain = name.replaceAll(/[^\w .()-]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
