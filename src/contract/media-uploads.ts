/**
 * Who can be recognised on a picture or in a film: nobody · everybody agreed · the contributor does not know. Null in
 * the database: the contributor was not asked.
 */
export const IMAGE_RIGHTS = ['nobody', 'agreed', 'unknown'] as const;
export type ImageRights = (typeof IMAGE_RIGHTS)[number];

export function findImageRights(value: string): ImageRights | undefined {
  return IMAGE_RIGHTS.find((rights) => rights === value);
}

/** On screens of contributors and of the desk. */
export const IMAGE_RIGHTS_WORDS: Readonly<Record<ImageRights, string>> = {
  nobody: 'Niemand erkennbar',
  agreed: 'Alle sind einverstanden',
  unknown: 'Weiß ich nicht',
};

/** Pictures and films, by their MIME type. */
export function showsPeople(type: string): boolean {
  return /^(?:image|video)\//i.test(type);
}

/** Characters of a name as the database takes it (`media_uploads.original_name`). */
const LONGEST_NAME = 255;
/** Control and format characters, marks of the writing direction among them, and characters without a meaning. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** The name of a file without its folders and invisible characters; undefined where nothing is left. */
export function plainFileName(name: string): string | undefined {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.toWellFormed().replaceAll(UNSEEN, '').trim().slice(0, LONGEST_NAME).toWellFormed();
  return plain === '' ? undefined : plain;
}

export const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
};

/** Some systems name no type of use: they know no QuickTime and no Word. The usual ending of a type comes first. */
export const TYPE_OF_EXTENSION: Readonly<Record<string, string>> = {
  ...DOCUMENT_TYPES,
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/** Only what a storage key may hold (supabase-contract §3.1). Digits alone are part of a date. */
export const EXTENSION = /\.((?=\d*[a-z])[a-z\d]{1,8})$/i;

/**
 * Of a file, in lower case; where its name has none, as many on Android, that of its MIME type. '' where neither tells.
 */
export function extensionOf(name: string, type: string): string {
  const own = EXTENSION.exec(name)?.[1]?.toLowerCase() ?? '';
  if (own !== '' && own !== 'bin') return own;
  const plain = type.split(';')[0] ?? '';
  const usual = Object.entries(TYPE_OF_EXTENSION).find(([, one]) => one === plain)?.[0];
  return usual ?? /\/([a-z\d]{1,8})$/.exec(plain)?.[1] ?? own;
}
