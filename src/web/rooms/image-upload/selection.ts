import { PHOTO_EXTENSIONS } from '#contract/limits.ts';

export type SelectionRules = Readonly<{ maxFiles: number; maxBytes: number }>;

/** `files`: what is selected afterwards. One problem at most, the one that the user has to know first. */
export type Selection<F> = Readonly<{ files: readonly F[]; problem: SelectionProblem | undefined }>;

export type SelectionProblem =
  | Readonly<{ type: 'wrong-type'; heic: boolean }>
  | Readonly<{ type: 'too-many' }>
  | Readonly<{ type: 'too-large'; name: string; size: number }>
  | Readonly<{ type: 'empty'; name: string }>;

type Named = Readonly<{ name: string; size: number }>;

/**
 * §5: by extension, case-insensitive; unsupported files are dropped; if the selection would exceed the limit, none of the new
 * ones is added. Where only one file is possible, a new one takes the place of the old one.
 */
export function addFiles<F extends Named>(
  selected: readonly F[],
  added: readonly F[],
  rules: SelectionRules,
): Selection<F> {
  const supported = added.filter((file) => isPhoto(file.name));
  const tooLarge = supported.find((file) => file.size > rules.maxBytes);
  const empty = supported.find((file) => file.size === 0);
  const fitting = supported.filter((file) => file.size > 0 && file.size <= rules.maxBytes);
  const kept = rules.maxFiles === 1 && fitting.length > 0 ? [] : selected;
  if (kept.length + fitting.length > rules.maxFiles) return { files: selected, problem: { type: 'too-many' } };
  const files = [...kept, ...fitting];
  if (supported.length < added.length) {
    return { files, problem: { type: 'wrong-type', heic: added.some((file) => /\.hei[cf]$/i.test(file.name)) } };
  }
  if (tooLarge !== undefined)
    return { files, problem: { type: 'too-large', name: tooLarge.name, size: tooLarge.size } };
  return { files, problem: empty === undefined ? undefined : { type: 'empty', name: empty.name } };
}

function isPhoto(name: string): boolean {
  return PHOTO_EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension));
}
