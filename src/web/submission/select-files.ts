import type { Limits } from '#contract/app-config.ts';
import { PHOTO_EXTENSIONS, VIDEO_EXTENSIONS } from '#contract/limits.ts';
import { isHeic, isSameFile, sizeProblem, type SizeProblem } from './file-kind.ts';

export type SelectionRules = Readonly<{ maxFiles: number; kinds: 'images' | 'images-and-videos'; limits: Limits }>;

/** Why a file was not added. */
export type SelectionProblem =
  | Readonly<{ type: 'too-many' }>
  | Readonly<{ type: 'wrong-type'; name: string; heic: boolean }>
  | Readonly<{ type: 'duplicate'; name: string }>
  | SizeProblem;

/** Problems in the order in which the user has to know them. */
export type Selection = Readonly<{ accepted: readonly File[]; problems: readonly SelectionProblem[] }>;

/**
 * §5: by extension, case-insensitive; unsupported files are dropped. Where the selection would exceed the limit, adds
 * none of the new files. Where only one file is possible, a new one replaces the chosen one.
 */
export function selectFiles(selected: readonly File[], added: readonly File[], rules: SelectionRules): Selection {
  const kept = rules.maxFiles === 1 ? [] : selected;
  const accepted: File[] = [];
  const problems: SelectionProblem[] = [];
  for (const file of added) {
    const problem = findProblem(file, [...kept, ...accepted], rules);
    if (problem === undefined) accepted.push(file);
    else problems.push(problem);
  }
  if (kept.length + accepted.length > rules.maxFiles) return { accepted: [], problems: [{ type: 'too-many' }] };
  return { accepted, problems: problems.toSorted((a, b) => rankProblem(a) - rankProblem(b)) };
}

function findProblem(file: File, before: readonly File[], rules: SelectionRules): SelectionProblem | undefined {
  const { name } = file;
  const kind = readKind(name, rules.kinds);
  if (kind === undefined) return { type: 'wrong-type', name, heic: isHeic(file) };
  if (before.some((other) => isSameFile(other, file))) return { type: 'duplicate', name };
  return sizeProblem(file, kind, rules.limits);
}

function readKind(name: string, kinds: SelectionRules['kinds']): 'image' | 'video' | undefined {
  const hasEnding = (extension: string) => name.toLowerCase().endsWith(extension);
  if (PHOTO_EXTENSIONS.some(hasEnding)) return 'image';
  return kinds === 'images-and-videos' && VIDEO_EXTENSIONS.some(hasEnding) ? 'video' : undefined;
}

function rankProblem(problem: SelectionProblem): number {
  return ['too-many', 'wrong-type', 'too-large', 'empty', 'duplicate'].indexOf(problem.type);
}
