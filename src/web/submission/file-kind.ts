import type { Limits } from '#contract/app-config.ts';
import { PHOTO_EXTENSIONS, VIDEO_EXTENSIONS } from '#contract/limits.ts';
import { TYPE_OF_EXTENSION } from '#contract/media-uploads.ts';

/** What a file may be handed in as; each has its own limit (D19). */
type FileKind = 'video' | 'image' | 'document';

/** Lower case, without the dot; '' where there is none. */
function getExtension(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

const TYPES = new Set(Object.values(TYPE_OF_EXTENSION));

const getEssence = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? '';

/**
 * The MIME type the browser gives, else the one that goes with the extension; '' where neither is known. On Windows a
 * program may have its own type for a Word document (`application/wps-office.docx`), which counts as none.
 */
export function getType(file: Readonly<{ name: string; type: string }>): string {
  const given = getEssence(file.type);
  const isOfUse = given.startsWith('application/') ? TYPES.has(given) : given !== '';
  return isOfUse ? given : (TYPE_OF_EXTENSION[getExtension(file.name)] ?? given);
}

/** The same file under the type it goes by, so that the storage and `media_uploads` hear it too. */
export function withType(file: File): File {
  const type = getType(file);
  if (getEssence(file.type) === type) return file;
  return new File([file], file.name, { type, lastModified: file.lastModified });
}

export function kindOfType(type: string): FileKind {
  const main = type.split('/')[0];
  return main === 'video' || main === 'image' ? main : 'document';
}

/** iPhone photos that no browser but Safari can show. */
export function isHeic(file: Readonly<{ name: string; type: string }>): boolean {
  return /^hei[cf]$/.test(getExtension(file.name)) || /^image\/hei[cf]/.test(file.type);
}

export function getMaxBytes(kind: FileKind, limits: Limits): number {
  return { video: limits.videoBytes, image: limits.imageBytes, document: limits.documentBytes }[kind];
}

export type SizeProblem = Readonly<{ type: 'empty' | 'too-large'; name: string; size: number; kind: FileKind }>;

/** D19, before anything is sent. */
export function sizeProblem(
  file: Readonly<{ name: string; size: number }>,
  kind: FileKind,
  limits: Limits,
): SizeProblem | undefined {
  const { name, size } = file;
  if (size === 0) return { type: 'empty', name, size, kind };
  return size > getMaxBytes(kind, limits) ? { type: 'too-large', name, size, kind } : undefined;
}

/** Chosen twice: same name, size and time of change. */
export function isSameFile(one: File, other: File): boolean {
  return one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;
}

export type SelectionRules = Readonly<{ maxFiles: number; kinds: 'images' | 'images-and-videos'; limits: Limits }>;

/** Why a file was not added. */
export type SelectionProblem =
  | Readonly<{ type: 'too-many' }>
  | Readonly<{ type: 'wrong-type'; name: string; heic: boolean }>
  | Readonly<{ type: 'duplicate'; name: string }>
  | SizeProblem;

/** Problems in the order in which the user has to know them. */
type Selection = Readonly<{ accepted: readonly File[]; problems: readonly SelectionProblem[] }>;

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
