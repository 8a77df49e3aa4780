import type { Limits } from '#contract/app-config.ts';
import { PHOTO_EXTENSIONS } from '#contract/limits.ts';
import { isHeic, isSameFile, sizeProblem, type SizeProblem } from '#web/submission/file-kind.ts';

export type SelectionRules = Readonly<{ maxFiles: number; limits: Limits }>;

/** One problem at most, the one that the user has to know first. */
export type Selection = Readonly<{ accepted: readonly File[]; problem: SelectionProblem | undefined }>;

export type SelectionProblem =
  | Readonly<{ type: 'wrong-type'; heic: boolean }>
  | Readonly<{ type: 'too-many' }>
  | Readonly<{ type: 'duplicate'; name: string }>
  | SizeProblem;

/**
 * §5: by extension, case-insensitive; unsupported files are dropped; if the selection would exceed the limit, none of
 * the new ones is added. Where only one file is possible, a new one takes the place of the old one.
 */
export function selectImages(selected: readonly File[], added: readonly File[], rules: SelectionRules): Selection {
  const kept = rules.maxFiles === 1 ? [] : selected;
  const supported = added.filter((file) => isPhoto(file.name));
  const sized = supported.filter((file) => sizeProblem(file, 'image', rules.limits) === undefined);
  const accepted = sized.filter((file, place) => !hasSame([...kept, ...sized.slice(0, place)], file));
  if (kept.length + accepted.length > rules.maxFiles) return { accepted: [], problem: { type: 'too-many' } };
  if (supported.length < added.length)
    return { accepted, problem: { type: 'wrong-type', heic: added.some((file) => isHeic(file)) } };
  const wrongSize = supported.map((file) => sizeProblem(file, 'image', rules.limits)).find(Boolean);
  const double = sized.find((file) => !accepted.includes(file));
  if (wrongSize === undefined && double !== undefined)
    return { accepted, problem: { type: 'duplicate', name: double.name } };
  return { accepted, problem: wrongSize };
}

function hasSame(files: readonly File[], file: File): boolean {
  return files.some((other) => isSameFile(other, file));
}

function isPhoto(name: string): boolean {
  return PHOTO_EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension));
}
