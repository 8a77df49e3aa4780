import { fileTypeFromBuffer } from 'file-type';
import { StorageError } from './errors.ts';

/** As much of a file's beginning as telling its type needs. */
export const SNIFFED_BYTES = 4_100;

export const DEFAULT_TYPE = 'application/octet-stream';

const PRINTABLE = /^[\u0020-\u007E]{1,255}$/;

/** What a client declares, as it may stand in a header. Throws InvalidMimeType. */
export function checkDeclaredType(declared: string): string {
  if (!PRINTABLE.test(declared)) throw new StorageError('InvalidMimeType');
  return declared;
}

/** A bucket's allow-list: whole types and `image/*`. An empty list allows everything. Throws InvalidMimeType. */
export function checkAllowedType(type: string, allowed: readonly string[] | null): void {
  if (allowed === null || allowed.length === 0) return;
  if (!matchesType(type, allowed)) throw new StorageError('InvalidMimeType', `mime type ${type} is not supported`);
}

/** Whether a type is among these: whole types, `image/*` and `*`. */
export function matchesType(type: string, patterns: readonly string[]): boolean {
  const wanted = essence(type);
  return patterns.map(essence).some((entry) => {
    if (entry === '*' || entry === '*/*') return wanted.includes('/');
    return entry.endsWith('/*') ? wanted.startsWith(entry.slice(0, -1)) : wanted === entry;
  });
}

/** `Text/Plain; charset=utf-8` → `text/plain` */
export function essence(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** Types whose files always begin with something that tells them. */
const RECOGNISABLE =
  /^(?:image\/(?:png|apng|jpe?g|pjpeg|gif|webp|avif|bmp|tiff|hei[cf])|video\/(?:mp4|webm|quicktime|ogg|x-m4v|x-matroska)|audio\/(?:webm|ogg|mp4|x-m4a|m4a|wave?|x-wav|vnd\.wave|flac|x-flac)|application\/pdf)$/;

/** Containers that carry sound or pictures alike: which it is, the first bytes do not say. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(?:audio|video)\/(?:webm|x-matroska|matroska)$/, 'matroska'],
  [/^(?:audio|video)\/(?:mp4|x-m4a|x-m4v|m4a|quicktime|3gpp2?|aac|x-aac|aacp)$/, 'mp4'],
  [/^image\/(?:hei[cf](?:-sequence)?|avif)$/, 'mp4-image'],
  [/^(?:audio|video|application)\/(?:ogg|opus|x-ogg)$/, 'ogg'],
  [/^(?:audio|video)\/(?:mpeg|mp3|mpga|mp1s|mp2p|mp2t|x-mpeg)$/, 'mpeg'],
  [/^audio\/(?:wave?|x-wav|vnd\.wave)$/, 'wave'],
  [/^audio\/(?:x-)?flac$/, 'flac'],
  [/^image\/(?:jpe?g|pjpeg)$/, 'jpeg'],
  [/^image\/(?:png|apng)$/, 'png'],
  [/^application\/(?:msword|x-cfb)$/, 'compound file'],
  [/^application\/(?:zip|vnd\.openxmlformats-officedocument\..+)$/, 'zip'],
];

const CHECKED_KINDS =
  /^(?:image|video|audio)\/|^text\/plain$|^application\/(?:pdf|msword|vnd\.openxmlformats-officedocument\..+)$/;

/**
 * What the content is where it contradicts the declared type; undefined where it does not, or where no one can tell.
 */
export async function contradiction(head: Uint8Array, declared: string): Promise<string | undefined> {
  const type = essence(declared);
  if (!CHECKED_KINDS.test(type) || head.length === 0) return undefined;
  // Words may begin like a file of some type, but no text has a zero byte (UTF-16 begins with a mark).
  if (type === 'text/plain' && (!head.includes(0) || (head[0] ?? 0) >= 0xfe)) return undefined;
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found === undefined) return RECOGNISABLE.test(type) ? DEFAULT_TYPE : undefined;
  const detected = essence(found.mime);
  return family(detected) === family(type) ? undefined : detected;
}

function family(type: string): string {
  return FAMILIES.find(([pattern]) => pattern.test(type))?.[1] ?? type;
}

/** Types that a browser shows without running anything in them. */
const INERT =
  /^(?:image\/(?:png|apng|jpe?g|pjpeg|gif|webp|avif|bmp|tiff|hei[cf])|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)$/;

export function isInert(type: string): boolean {
  return INERT.test(essence(type));
}
