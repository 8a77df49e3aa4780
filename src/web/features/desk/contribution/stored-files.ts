import { cleanFilePath, filePath } from '#contract/desk-files.ts';
import type { DeskFile } from '#contract/desk.ts';
import { extensionOf } from '#contract/media-uploads.ts';

/** How the screen presents a file. */
export type FileUse = 'audio' | 'video' | 'picture' | 'pdf' | 'text' | 'other';

export type StoredFile = Readonly<{
  file: DeskFile;
  use: FileUse;
  /** Position among the files of the same name, from 1. */
  number: number;
  /** 'transcript': the text files of §3. */
  name: 'audio' | 'video' | 'picture' | 'document' | 'transcript' | 'text' | 'other';
  /** Such as 'JPG', or ''. */
  extension: string;
  /** Whether the store has the file. */
  presence: 'stored' | 'missing';
}>;

const PICTURES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'];
/** Largest preview in bytes, because a preview is held in memory. */
const MAX_PREVIEW = 50 * 1024 * 1024;

/** Numbers and names the files for people, because the stored names (§3) mean nothing to them. */
export function describeFiles(files: readonly DeskFile[]): readonly StoredFile[] {
  const counts = new Map<string, number>();
  return files.map((file) => {
    const use = chooseUse(file);
    const name = chooseName(file, use);
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    return {
      file,
      use,
      number,
      name,
      extension: extensionOf(file.path, file.type).toUpperCase(),
      presence: file.size === null ? 'missing' : 'stored',
    };
  });
}

/** What a post shows: the team downloads it without place and device. */
export function isPublishable({ name, presence }: StoredFile): boolean {
  return (name === 'picture' || name === 'video') && presence === 'stored';
}

/** Where the desk downloads a file. */
export function downloadPath(contribution: number, stored: StoredFile): string {
  return (isPublishable(stored) ? cleanFilePath : filePath)(contribution, stored.file.id);
}

function chooseUse({ type, size }: DeskFile): FileUse {
  const plain = type.split(';')[0]?.trim().toLowerCase() ?? '';
  if (plain.startsWith('audio/')) return 'audio';
  if (plain.startsWith('video/')) return 'video';
  if (PICTURES.includes(plain)) return 'picture';
  if ((size ?? 0) > MAX_PREVIEW) return 'other';
  if (plain === 'application/pdf') return 'pdf';
  return plain.startsWith('text/') ? 'text' : 'other';
}

function chooseName({ path, type }: DeskFile, use: FileUse): StoredFile['name'] {
  if (use === 'audio' || use === 'video' || use === 'picture') return use;
  if (type.startsWith('image/')) return 'picture';
  if (type.startsWith('text/')) return /\/transcript_\d+[^/]*\.txt$/.test(path) ? 'transcript' : 'text';
  return /^application\/(pdf|msword|vnd\.|rtf)/.test(type) ? 'document' : 'other';
}
