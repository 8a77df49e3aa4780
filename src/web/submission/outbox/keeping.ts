import { mediaPath, transcriptPath } from '../files.ts';
import { makeKey, readKey } from '../keys.ts';
import { numericId } from '../local-id.ts';
import type { FileContent, Keeping, PartContent, PartDraft } from './entry.ts';
import { createOutboxStore, type OutboxStore } from './store.ts';

let made: OutboxStore | undefined;

/** The one of this tab. */
export function browserStore(): OutboxStore {
  made ??= createOutboxStore();
  return made;
}

export async function keepParts(
  store: OutboxStore,
  of: Keeping,
  parts: readonly PartDraft[],
  now: () => number,
): Promise<readonly FileContent[]> {
  const { id } = await store.open(newEntry(of));
  return putParts(store, id, parts, now);
}

async function putParts(
  store: OutboxStore,
  entry: string,
  parts: readonly PartDraft[],
  now: () => number,
): Promise<readonly FileContent[]> {
  const files: FileContent[] = [];
  for (const part of parts) {
    const content = toContent(part, now());
    if ('bytes' in content && 'blob' in part) {
      files.push(content);
      await store.putFile(entry, getPart(content), content, part.blob);
    } else await store.apply(entry, { type: 'put', part: getPart(content), content });
  }
  return files;
}

/**
 * A contribution that was begun in the database keeps its key; any other gets its own, which no other will ever have.
 */
function newEntry({ owner, area, contentId }: Keeping) {
  const id = numericId(contentId);
  return {
    owner,
    area,
    contentId,
    key: readKey(contentId) ?? makeKey(),
    row: id === undefined ? ({ status: 'none' } as const) : ({ status: 'known', id } as const),
  };
}

function toContent(draft: PartDraft, now: number): PartContent {
  switch (draft.kind) {
    case 'transcript':
      return { kind: 'transcript', text: draft.text, fileName: getLast(transcriptPath('x', now)) };
    case 'answers':
    case 'contact':
      return draft;
    default: {
      const { blob, name, kind, spoken, imageRights } = draft;
      const type = blob.type.split(';')[0] ?? '';
      const fileName = getLast(draft.path ?? mediaPath('x', { name, type }, now));
      const modified = blob instanceof File ? { modified: blob.lastModified } : {};
      return { kind, name, fileName, type, bytes: blob.size, spoken, imageRights, ...modified };
    }
  }
}

/** A contribution has one part of each kind, but any number of files. */
function getPart(content: PartContent): string {
  return content.kind === 'file' ? content.fileName : content.kind;
}

function getLast(path: string): string {
  return path.split('/').at(-1) ?? path;
}
