import type { StoredFile } from '#web/backend/media.ts';
import { readFileNames } from './files.ts';
import { fileNameTexts } from './image-rights-texts.ts';

/**
 * The name the file came with: as this tab knows it or as it was registered. What the application recorded or wrote
 * itself has none, so its kind stands for it; the name in the bucket means nothing to people.
 */
export function getFileName({ path, type, name }: StoredFile): string {
  return readFileNames()[path] ?? name ?? nameByKind(path.split('/').at(-1) ?? path, getKind(type));
}

const OWN_NAME = /^\d+_[\da-f]{32}(\.[\da-z]+)$/;
const TRANSCRIPT = /^transcript_\d+(\.txt)$/;

function nameByKind(last: string, kind: StoredKind): string {
  const transcript = TRANSCRIPT.exec(last)?.[1];
  if (transcript !== undefined) return `${fileNameTexts.text}${transcript}`;
  const ending = OWN_NAME.exec(last)?.[1];
  return ending === undefined ? last : `${fileNameTexts[kind === 'text' ? 'other' : kind]}${ending}`;
}

export type StoredKind = 'image' | 'video' | 'audio' | 'text' | 'other';

export function getKind(type: string): StoredKind {
  if (type.includes('text')) return 'text';
  const main = type.split('/')[0];
  return main === 'image' || main === 'video' || main === 'audio' ? main : 'other';
}

const RELEASE_MS = 60_000;

/** Hands a blob to the user as a file. The browser reads it after the click, on iOS once the person has agreed. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_MS);
}
