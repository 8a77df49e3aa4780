import { useCallback, useSyncExternalStore } from 'react';
import type { AppConfig } from '#contract/app-config.ts';
import type { AreaId } from '#contract/areas.ts';
import type { Contact, WAnswers } from '#web/backend/interviews.ts';
import { storedUser } from '#web/backend/stored-session.ts';
import { mediaPath, transcriptPath } from '../files.ts';
import { makeKey, readKey } from '../keys.ts';
import { numericId } from '../local-id.ts';
import { DEVICE_OWNER, type Entry, type FileContent, type PartContent } from './entry.ts';
import { createOutboxStore, type OutboxStore } from './store.ts';

/** What a screen hands over. `path`: the name in the bucket of a file that was tried already. */
export type PartDraft =
  | (Readonly<{ kind: 'recording' | 'file'; blob: Blob; path?: string | undefined }> &
      Pick<FileContent, 'name' | 'spoken' | 'imageRights'>)
  | Readonly<{ kind: 'transcript'; text: string }>
  | Readonly<{ kind: 'answers'; answers: WAnswers }>
  | Readonly<{ kind: 'contact'; contact: Contact }>;

type Keeping = Readonly<{ owner: string; area: AreaId; contentId: string }>;

export type Outbox = Readonly<{
  store: OutboxStore;
  /** Of this owner, oldest first, as last read; a first call has them read. */
  getEntries: (owner: string) => readonly Entry[] | undefined;
  /** 0–1 of the file being sent from this tab. */
  getProgress: (part: string) => number | undefined;
  subscribe: (listener: () => void) => () => void;
  /**
   * In their order. Returns the files as they are named now. Rejects where the device has no space; what was there
   * before stays.
   */
  keep: (of: Keeping, parts: readonly PartDraft[]) => Promise<readonly FileContent[]>;
  retry: (id: string) => Promise<void>;
  remove: (id: string) => Promise<void>;
  /** The store was changed past the functions above. */
  changed: () => void;
  progressed: (part: string, fraction: number) => void;
  /** Calls when something new may have to be sent. */
  onWork: (listener: () => void) => () => void;
}>;

type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>;

/** The outbox of this tab. `channel` tells the other tabs of every change. */
export function createOutbox(store: OutboxStore, channel?: Channel, now = Date.now): Outbox {
  const listeners = new Set<() => void>();
  const workers = new Set<() => void>();
  const known = new Map<string, readonly Entry[]>();
  const progress = new Map<string, number>();
  const tell = (all: ReadonlySet<() => void>): void => all.forEach((listener) => listener());
  const read = async (owner: string): Promise<void> => {
    const entries = await store.list(owner).catch((): readonly Entry[] => []);
    known.set(owner, entries);
    tell(listeners);
  };
  const readAll = (): void => [...known.keys()].forEach((owner) => void read(owner));
  const changed = (): void => {
    readAll();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this origin
    channel?.postMessage('changed');
  };
  channel?.addEventListener('message', readAll);
  return {
    store,
    getEntries: (owner) => {
      if (!known.has(owner)) {
        known.set(owner, []);
        void read(owner);
      }
      return known.get(owner);
    },
    getProgress: (part) => progress.get(part),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    keep: async (of, parts) => {
      const entry = await store.open(newEntry(of));
      const files: FileContent[] = [];
      for (const part of parts) {
        const content = toContent(part, now());
        if ('bytes' in content && 'blob' in part) {
          files.push(content);
          await store.putFile(entry.id, getPart(content), content, part.blob);
        } else await store.apply(entry.id, { type: 'put', part: getPart(content), content });
      }
      await read(of.owner);
      changed();
      tell(workers);
      return files;
    },
    retry: async (id) => {
      await store.apply(id, { type: 'retry' });
      changed();
      tell(workers);
    },
    remove: async (id) => {
      await store.remove(id);
      changed();
    },
    changed,
    progressed: (part, fraction) => {
      progress.set(part, fraction);
      tell(listeners);
    },
    onWork: (listener) => {
      workers.add(listener);
      return () => workers.delete(listener);
    },
  };
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

let made: Outbox | undefined;

/** The one of this tab. */
export function browserOutbox(): Outbox {
  made ??= createOutbox(
    createOutboxStore(),
    'BroadcastChannel' in globalThis ? new BroadcastChannel('outbox') : undefined,
  );
  return made;
}

const NONE: readonly Entry[] = [];

type OutboxHandle = Pick<Outbox, 'retry' | 'remove' | 'getProgress'> & Readonly<{ entries: readonly Entry[] }>;

/** The entries of this owner alone. */
export function useOutbox(owner: string): OutboxHandle {
  const outbox = browserOutbox();
  const read = useCallback(() => outbox.getEntries(owner) ?? NONE, [outbox, owner]);
  const entries = useSyncExternalStore(outbox.subscribe, read);
  return { entries, retry: outbox.retry, remove: outbox.remove, getProgress: outbox.getProgress };
}

/** Whose outbox counts in this browser now. */
export function ownerHere({ supabaseUrl }: AppConfig): string {
  return storedUser(supabaseUrl)?.id ?? DEVICE_OWNER;
}
