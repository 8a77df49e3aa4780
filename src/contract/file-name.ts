/** Characters of a name as the database takes it (`media_uploads.original_name`). */
const LONGEST = 255;
/** Control and format characters, marks of the writing direction among them, and characters without a meaning. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** The name of a file without its folders and invisible characters; undefined where nothing is left. */
export function plainFileName(name: string): string | undefined {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last.toWellFormed().replaceAll(UNSEEN, '').trim().slice(0, LONGEST).toWellFormed();
  return plain === '' ? undefined : plain;
}
