import { buffer } from 'node:stream/consumers';
import { fileTypeFromBuffer } from 'file-type';
import { StorageError } from './errors.ts';
import { type ObjectStore, storeKey } from './stores/object-store.ts';

/** As much of a file's beginning as its type needs. */
export const SNIFFED_BYTES = 4_100;

export const DEFAULT_TYPE = 'application/octet-stream';

const PRINTABLE = /^[\u0020-\u007E]{1,255}$/;

/** Returns a declared type that can stand in a header. Throws InvalidMimeType. */
export function checkDeclaredType(declared: string): string {
  if (!PRINTABLE.test(declared)) throw new StorageError('InvalidMimeType');
  return declared;
}

/** A bucket's allow-list: whole types and `image/*`. An empty list allows everything. Throws InvalidMimeType. */
export function checkAllowedType(type: string, allowed: readonly string[] | null): void {
  if (allowed === null || allowed.length === 0) return;
  if (!matchesType(type, allowed)) throw new StorageError('InvalidMimeType', `mime type ${type} is not supported`);
}

/** Accepts unknown content, which is served safely, and rejects a known type that the bucket does not allow. */
export function checkDetectedType(detected: string | undefined, allowed: readonly string[] | null): void {
  if (detected !== undefined && detected !== DEFAULT_TYPE) checkAllowedType(detected, allowed);
}

/** Matches whole types, `image/*` and `*`. */
export function matchesType(type: string, patterns: readonly string[]): boolean {
  const wanted = getEssence(type);
  return patterns.map(getEssence).some((entry) => {
    if (entry === '*' || entry === '*/*') return wanted.includes('/');
    return entry.endsWith('/*') ? wanted.startsWith(entry.slice(0, -1)) : wanted === entry;
  });
}

/** `Text/Plain; charset=utf-8` → `text/plain` */
export function getEssence(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

const PICTURE = String.raw`image\/(?:png|apng|jpe?g|pjpeg|gif|webp|avif|bmp|tiff|hei[cf])`;
const VIDEO = String.raw`video\/(?:mp4|webm|quicktime|ogg|x-m4v|x-matroska)`;
const AUDIO = String.raw`audio\/(?:webm|ogg|mp4|x-m4a|m4a|wave?|x-wav|vnd\.wave|flac|x-flac)`;

/** Types whose files always begin with a signature. */
const RECOGNISABLE = new RegExp(`^(?:${PICTURE}|${VIDEO}|${AUDIO}|application/pdf)$`);

/** Containers that carry sound or pictures alike, which their first bytes do not tell apart. */
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
  [/^(?:image\/svg\+xml|application\/xml)$/, 'xml'],
  [/^application\/(?:msword|x-cfb)$/, 'compound file'],
  [/^application\/(?:zip|vnd\.openxmlformats-officedocument\..+)$/, 'zip'],
];

const CHECKED_KINDS =
  /^(?:image|video|audio)\/|^text\/plain$|^application\/(?:pdf|msword|vnd\.openxmlformats-officedocument\..+)$/;

/** Detects the type of content that contradicts its declared type; undefined where it does not or cannot be told. */
export async function detectContradiction(head: Uint8Array, declared: string): Promise<string | undefined> {
  const type = getEssence(declared);
  if (!CHECKED_KINDS.test(type) || head.length === 0) return undefined;
  // A text may begin like a binary file, but has no zero byte, except UTF-16, which begins with a mark.
  if (type === 'text/plain' && (!head.includes(0) || (head[0] ?? 0) >= 0xfe)) return undefined;
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  if (found === undefined) return RECOGNISABLE.test(type) ? DEFAULT_TYPE : undefined;
  const detected = getEssence(found.mime);
  return getFamily(detected) === getFamily(type) ? undefined : detected;
}

/** The same for bytes that are stored already. */
export async function detectStoredContradiction(
  store: Pick<ObjectStore, 'get'>,
  { version, size }: Readonly<{ version: string; size: number }>,
  declared: string,
): Promise<string | undefined> {
  if (size === 0) return undefined;
  const end = Math.min(size, SNIFFED_BYTES) - 1;
  return detectContradiction(await buffer(await store.get(storeKey(version), { start: 0, end })), declared);
}

function getFamily(type: string): string {
  return FAMILIES.find(([pattern]) => pattern.test(type))?.[1] ?? type;
}

/** Types that a browser shows without running code. */
const INERT = new RegExp(String.raw`^(?:${PICTURE}|(?:audio|video)\/[\w.+-]+|application\/pdf|text\/plain)$`);

export function isInert(type: string): boolean {
  return INERT.test(getEssence(type));
}
