import type { Limits } from '#contract/app-config.ts';
import { CONTRIBUTOR_FILES_MAX, PHOTO_EXTENSIONS, VIDEO_EXTENSIONS } from '#contract/limits.ts';
import { isHeic, isSameFile, sizeProblem, type SizeProblem } from '#web/submission/file-kind.ts';

/** Why a file was not added; a toast tells the first, the screen lists all. */
export type SelectionProblem =
  | Readonly<{ type: 'too-many' }>
  | Readonly<{ type: 'wrong-type'; name: string; heic: boolean }>
  | Readonly<{ type: 'duplicate'; name: string }>
  | SizeProblem;

export type Selection = Readonly<{ accepted: readonly File[]; problems: readonly SelectionProblem[] }>;

/**
 * §5 'Contributor media upload': by extension, case-insensitive; unsupported ones are dropped. If the selection would
 * exceed 10 files, none of the new ones is added.
 */
export function selectFiles(selected: readonly File[], added: readonly File[], limits: Limits): Selection {
  const accepted: File[] = [];
  const problems: SelectionProblem[] = [];
  for (const file of added) {
    const problem = problemOf(file, [...selected, ...accepted], limits);
    if (problem === undefined) accepted.push(file);
    else problems.push(problem);
  }
  if (selected.length + accepted.length > CONTRIBUTOR_FILES_MAX)
    return { accepted: [], problems: [{ type: 'too-many' }] };
  return { accepted, problems: problems.toSorted((a, b) => rank(a) - rank(b)) };
}

function problemOf(file: File, before: readonly File[], limits: Limits): SelectionProblem | undefined {
  const kind = mediaKind(file.name);
  if (kind === undefined) return { type: 'wrong-type', name: file.name, heic: isHeic(file) };
  if (before.some((other) => isSameFile(other, file))) return { type: 'duplicate', name: file.name };
  return sizeProblem(file, kind, limits);
}

function mediaKind(name: string): 'image' | 'video' | undefined {
  const ends = (extension: string) => name.toLowerCase().endsWith(extension);
  if (PHOTO_EXTENSIONS.some(ends)) return 'image';
  return VIDEO_EXTENSIONS.some(ends) ? 'video' : undefined;
}

/** What the user has to know first. */
function rank(problem: SelectionProblem): number {
  return ['too-many', 'wrong-type', 'too-large', 'empty', 'duplicate'].indexOf(problem.type);
}
