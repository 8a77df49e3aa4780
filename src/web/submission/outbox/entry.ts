import type { AreaId } from '#contract/areas.ts';
import type { ImageRights } from '#contract/media-uploads.ts';
import type { SpokenSegment } from '#contract/spoken.ts';
import { BackendError, type BackendErrorKind } from '#web/backend/errors.ts';
import type { Contact } from '#web/backend/interviews.ts';
import type { WAnswers } from '#web/backend/w-questions.ts';

/** The owner of entries that were made without a login. */
export const DEVICE_OWNER = 'device';

/**
 * `fileName` is given once: a repeated upload overwrites the same object. `name` is what the user knows it by.
 * `modified`: a chosen file's time of change in ms, by which an upload begun on its screen is recognised and continued.
 */
export type FileContent = Readonly<{
  kind: 'recording' | 'file';
  name: string;
  fileName: string;
  type: string;
  bytes: number;
  modified?: number;
  /** Where in a recording something was said. */
  spoken?: readonly SpokenSegment[] | undefined;
  /** Of a picture or film, where the contributor was asked. */
  imageRights?: ImageRights | undefined;
}>;

export type PartContent =
  | FileContent
  | Readonly<{ kind: 'transcript'; text: string; fileName: string }>
  | Readonly<{ kind: 'answers'; answers: WAnswers }>
  | Readonly<{ kind: 'contact'; contact: Contact }>;

export type PartState =
  | Readonly<{ status: 'waiting' | 'sending' | 'sent' }>
  | Readonly<{ status: 'failed'; reason: BackendErrorKind }>;

/** `revision` counts the times its content was replaced: events of an earlier revision no longer count. */
export type Part = Readonly<{
  id: string;
  revision: number;
  content: PartContent;
  state: PartState;
  /** An attempt to send this revision got no answer: it may have arrived. */
  unanswered?: true;
}>;

/** `none` says nothing about an insert whose answer got lost: the next one finds its row (D9). */
type RowState =
  | Readonly<{ status: 'none' }>
  | Readonly<{ status: 'known'; id: number }>
  | Readonly<{ status: 'failed'; reason: BackendErrorKind }>;

/** One contribution kept on this device until it has arrived. */
export type Entry = Readonly<{
  id: string;
  /** A user's id or DEVICE_OWNER. Entries of others are neither shown nor sent; the device's are always a guest's. */
  owner: string;
  area: AreaId;
  /** As the flow knows it: a local id, or the database's where only some parts are missing there. */
  contentId: string;
  /** D9: made before the first insert, and the token that keeps a second insert from beginning another row. */
  key: string;
  /** ms since 1970 */
  createdAt: number;
  row: RowState;
  parts: readonly Part[];
}>;

/** What a screen hands over. `path`: the name in the bucket of a file that was tried already. */
export type PartDraft =
  | (Readonly<{ kind: 'recording' | 'file'; blob: Blob; path?: string | undefined }> &
      Pick<FileContent, 'name' | 'spoken' | 'imageRights'>)
  | Readonly<{ kind: 'transcript'; text: string }>
  | Readonly<{ kind: 'answers'; answers: WAnswers }>
  | Readonly<{ kind: 'contact'; contact: Contact }>;

/** A file that the device no longer gives, by its name: it would only half be kept. */
export class UnreadablePart extends Error {
  override readonly name = 'UnreadablePart';
  readonly file: Blob;
  constructor(fileName: string, file: Blob, options: ErrorOptions) {
    super(fileName, options);
    this.file = file;
  }
}

export type Keeping = Readonly<{ owner: string; area: AreaId; contentId: string }>;

/** Whether the entry is that contribution's, by the id it began with or by the one it has now. */
export function isOf(entry: Entry, contentId: string | undefined): boolean {
  if (entry.contentId === contentId) return true;
  return entry.row.status === 'known' && String(entry.row.id) === contentId;
}

/** All that was ever put in has arrived. An entry without parts is a choice made, not an end. */
export function isFinished({ parts }: Entry): boolean {
  return parts.length > 0 && parts.every((part) => part.state.status === 'sent');
}

type EntryStatus = 'waiting' | 'sending' | 'sent' | 'failed';

/** The whole entry in one word; `failed` means that the user is needed. */
export function statusOfEntry(entry: Entry): EntryStatus {
  const { row, parts } = entry;
  if (parts.every((part) => part.state.status === 'sent')) return 'sent';
  if (parts.some((part) => part.state.status === 'sending')) return 'sending';
  const failed = [row, ...parts.map((part) => part.state)].some(
    (state) => state.status === 'failed' && !isRetryableKind(state.reason),
  );
  return failed ? 'failed' : 'waiting';
}

/** Whether what failed may work later, so that the outbox can take it. */
export function isRetryable(error: unknown): boolean {
  return !(error instanceof BackendError) || isRetryableKind(error.kind);
}

/** What may be gone the next time, without anybody doing anything. */
export function isRetryableKind(reason: BackendErrorKind): boolean {
  return ['unreachable', 'failed', 'full', 'too-many', 'aborted'].includes(reason);
}
