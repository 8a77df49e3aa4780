import { expectReadable } from '#web/backend/send-form.ts';
import { mediaPath, transcriptPath } from '../files.ts';
import { readKey } from '../keys.ts';
import { makeKey } from '../new-key.ts';
import { numericId } from '../local-id.ts';
import { getKeptAnswers } from '../saving.ts';
import type { SubmissionStore } from '../store.ts';
import { type FileContent, type Keeping, type PartContent, type PartDraft, UnreadablePart } from './entry.ts';
import { createOutboxStore, type OutboxStore } from './store.ts';

let made: OutboxStore | undefined;

/** The one of this tab. */
export function browserStore(): OutboxStore {
  made ??= createOutboxStore();
  return made;
}

/** `earlier`: where this browser has what was said or written on earlier screens. */
export async function keepParts(
  store: OutboxStore,
  of: Keeping,
  given: readonly PartDraft[],
  { now, earlier }: Readonly<{ now: () => number; earlier: SubmissionStore | undefined }>,
): Promise<readonly FileContent[]> {
  const parts = earlier === undefined ? given : withEarlier(earlier, of.contentId, given);
  for (const part of parts) {
    if (!('blob' in part)) continue;
    await expectReadable(part.blob).catch((cause: unknown) => {
      throw new UnreadablePart(part.name, part.blob, { cause });
    });
  }
  const { id } = await store.open(newEntry(of));
  const files: FileContent[] = [];
  try {
    await putParts({ store, entry: id, now }, parts, files);
  } catch (error) {
    const added = files.filter(({ kind }) => kind === 'file');
    for (const { fileName } of added) await store.apply(id, { type: 'taken-back', part: fileName });
    // An empty one would be shown as kept. One that has made a row stays: it has the only key of that row (D9).
    const left = await store.get(id);
    const hasMadeRow = left?.row.status === 'known' && numericId(of.contentId) === undefined;
    if (left?.parts.length === 0 && !hasMadeRow) await store.remove(id);
    throw error;
  }
  return files;
}

/**
 * What was said or written on an earlier screen of a local contribution belongs to it, even if it is kept from here on
 * only.
 */
function withEarlier(store: SubmissionStore, contentId: string, parts: readonly PartDraft[]): readonly PartDraft[] {
  if (numericId(contentId) !== undefined) return parts;
  const has = (kind: PartDraft['kind']) => parts.some((part) => part.kind === kind);
  const text = store.transcript(contentId) ?? '';
  const answers = getKeptAnswers(contentId);
  // First, as contact details end what a key alone may hand in (D9).
  return [
    ...(text.trim() === '' || has('transcript') ? [] : [{ kind: 'transcript', text } as const]),
    ...(answers === undefined || has('answers') ? [] : [{ kind: 'answers', answers } as const]),
    ...parts,
  ];
}

type Place = Readonly<{ store: OutboxStore; entry: string; now: () => number }>;

/** `files`: gets every file once it is there. */
async function putParts({ store, entry, now }: Place, parts: readonly PartDraft[], files: FileContent[]) {
  for (const part of parts) {
    const content = toContent(part, now());
    if ('bytes' in content && 'blob' in part) {
      await store.putFile(entry, getPart(content), content, part.blob);
      files.push(content);
    } else await store.apply(entry, { type: 'put', part: getPart(content), content });
  }
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
      return { kind: 'transcript', text: draft.text, fileName: getBaseName(transcriptPath('x', now)) };
    case 'answers':
    case 'contact':
      return draft;
    default: {
      const { blob, name, kind, spoken, imageRights } = draft;
      const type = blob.type.split(';')[0] ?? '';
      const fileName = getBaseName(draft.path ?? mediaPath('x', blob instanceof File ? blob : { name, type }, now));
      const modified = blob instanceof File ? { modified: blob.lastModified } : {};
      return { kind, name, fileName, type, bytes: blob.size, spoken, imageRights, ...modified };
    }
  }
}

/** A contribution has one part of each kind, but any number of files. */
function getPart(content: PartContent): string {
  return content.kind === 'file' ? content.fileName : content.kind;
}

function getBaseName(path: string): string {
  return path.split('/').at(-1) ?? path;
}
