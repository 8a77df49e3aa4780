/**
 * Who can be recognised on a picture or in a film: nobody · everybody agreed · the contributor does not know. Null in
 * the database: the contributor was not asked.
 */
export const IMAGE_RIGHTS = ['nobody', 'agreed', 'unknown'] as const;
export type ImageRights = (typeof IMAGE_RIGHTS)[number];

/** Of a field's value. */
export function findImageRights(value: string): ImageRights | undefined {
  return IMAGE_RIGHTS.find((rights) => rights === value);
}

/** On screens of contributors and of the desk. */
export const IMAGE_RIGHTS_WORDS: Readonly<Record<ImageRights, string>> = {
  nobody: 'Niemand erkennbar',
  agreed: 'Alle Abgebildeten sind einverstanden',
  unknown: 'Weiß ich nicht',
};

/** Pictures and films, by their MIME type. */
export function showsPeople(type: string): boolean {
  return /^(?:image|video)\//i.test(type);
}
