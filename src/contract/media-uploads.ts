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
