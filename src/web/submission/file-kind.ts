import type { Limits } from '#contract/app-config.ts';

/** What a file may be handed in as; each has its own limit (D19). */
export type FileKind = 'video' | 'image' | 'document';

export const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
};

/** For browsers that name no type: some systems know no QuickTime and no Word. */
const TYPE_OF_EXTENSION: Readonly<Record<string, string>> = {
  ...DOCUMENT_TYPES,
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/** Lower case, without the dot; '' where there is none. */
export function getExtension(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** The MIME type the browser gives, else the one that goes with the extension; '' where neither is known. */
export function getType(file: Readonly<{ name: string; type: string }>): string {
  const given = file.type.split(';')[0]?.trim().toLowerCase() ?? '';
  return given === '' ? (TYPE_OF_EXTENSION[getExtension(file.name)] ?? '') : given;
}

/** The same file under the type it goes by, so that the storage and `media_uploads` hear it too. */
export function withType(file: File): File {
  const type = getType(file);
  if (file.type !== '' || type === '') return file;
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
