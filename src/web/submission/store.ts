import type { StorageKeys } from '#contract/areas.ts';
import { watchClearing } from '#web/backend/browser-storage.ts';
import { forgetFileNames } from './files.ts';
import { forgetKey } from './keys.ts';

/** §3 'Browser storage' of one area: which contribution is at hand, and its transcript. */
export type SubmissionStore = Readonly<{
  /** False after a logout: what screens opened before it write from then on is not stored. */
  isCurrent: () => boolean;
  interviewId: () => string | undefined;
  keepInterviewId: (id: string) => void;
  /**
   * The contribution at hand, unless it has its transcript or its W-answers: then it is an earlier one, which must not
   * be overwritten (§4 step 2).
   */
  openInterviewId: () => string | undefined;
  /** The contribution whose transcript is already there; a fresh start then needs a new id (§4 step 2). */
  transcriptInterviewId: () => string | undefined;
  /** The contribution that is described already, or somebody else's by a link; the next description needs a new id. */
  describedInterviewId: () => string | undefined;
  /** Does nothing where another contribution is at hand by now. */
  keepDescribed: (id: string) => void;
  /**
   * While its description and its files are being sent, the next contribution needs a new id. A reload ends the
   * sending; so does the returned function.
   */
  markSending: (id: string) => () => void;
  /** The latest text, edited or not; '' is a transcript still to be typed. */
  transcript: () => string | undefined;
  keepTranscript: (text: string, interviewId?: string) => void;
  /** A local id that has become one of the database. */
  exchange: (localId: string, id: string) => void;
  /** §2.11 'the stored transcript is removed'; that there was one stays known. */
  forgetTranscript: () => void;
  /**
   * §4 'stored ids are cleared', with the transcript and the key that belong to them. Where another contribution than
   * `interviewId` is at hand by now, its own stay.
   */
  clear: (interviewId?: string) => void;
}>;

/** By the key of the storage. */
const kept = new Map<string, number>();

/** Contributions whose files this page sends or has sent. */
const sending = new Set<string | undefined>();

export function submissionStore(keys: StorageKeys): SubmissionStore {
  const isCurrent = watchClearing();
  const keep = (storage: Storage, key: string, value: string) => {
    if (isCurrent()) write(storage, key, value);
  };
  const described = `${keys.interviewId}:described`;
  return {
    isCurrent,
    interviewId: () => read(keys.interviewId),
    keepInterviewId: (id) => {
      kept.set(keys.interviewId, countKept(keys) + 1);
      keep(sessionStorage, keys.interviewId, id);
    },
    openInterviewId: () => findOpen(read(keys.interviewId), [read(keys.transcriptInterviewId), read(described)]),
    transcriptInterviewId: () => read(keys.transcriptInterviewId),
    describedInterviewId: () => read(described),
    keepDescribed: (id) => {
      if (read(keys.interviewId) === id) keep(sessionStorage, described, id);
    },
    markSending,
    transcript: () => sessionStorage.getItem(keys.latestTranscript) ?? read(keys.interviewTranscript, localStorage),
    keepTranscript: (text, interviewId) => {
      keep(sessionStorage, keys.latestTranscript, text);
      keep(localStorage, keys.interviewTranscript, text);
      if (interviewId !== undefined) keep(sessionStorage, keys.transcriptInterviewId, interviewId);
    },
    exchange: (localId, id) => {
      for (const key of [keys.interviewId, keys.transcriptInterviewId, described])
        if (read(key) === localId) keep(sessionStorage, key, id);
    },
    forgetTranscript: () => forgetTranscript(keys),
    clear: (interviewId) => {
      const atHand = read(keys.interviewId);
      const isOther = interviewId !== undefined && atHand !== undefined && atHand !== interviewId;
      forgetKey(interviewId);
      if (!isOther || read(keys.transcriptInterviewId) === interviewId) forgetTranscript(keys);
      if (!isOther) forgetAtHand(atHand, [keys.interviewId, keys.transcriptInterviewId, described]);
    },
  };
}

/** How many ids were kept on this page: grows where another contribution is begun. */
export function countKept({ interviewId }: Pick<StorageKeys, 'interviewId'>): number {
  return kept.get(interviewId) ?? 0;
}

function markSending(id: string): () => void {
  sending.add(id);
  return () => void sending.delete(id);
}

function findOpen(stored: string | undefined, ended: readonly (string | undefined)[]): string | undefined {
  return ended.includes(stored) || sending.has(stored) ? undefined : stored;
}

function forgetTranscript({ latestTranscript, interviewTranscript }: StorageKeys): void {
  sessionStorage.removeItem(latestTranscript);
  localStorage.removeItem(interviewTranscript);
}

function forgetAtHand(interviewId: string | undefined, keys: readonly string[]): void {
  forgetKey(interviewId);
  forgetFileNames();
  for (const key of keys) sessionStorage.removeItem(key);
}

/** An empty entry is none. */
function read(key: string, storage: Storage = sessionStorage): string | undefined {
  const value = storage.getItem(key);
  return value === null || value === '' ? undefined : value;
}

/** A full or forbidden store must not stop the flow: the same values also travel in the navigation state. */
function write(storage: Storage, key: string, value: string): void {
  try {
    storage.setItem(key, value);
  } catch {
    console.warn(`browser storage: ${key} could not be kept`);
  }
}
