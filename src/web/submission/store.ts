import type { StorageKeys } from '#contract/areas.ts';
import { getOwnerKey, tryToStore, watchClearing } from '#web/backend/browser-storage.ts';
import { forgetFiles } from './files.ts';
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
  /** The contribution whose recording has arrived; one in the outbox is known there. */
  recordedInterviewId: () => string | undefined;
  keepRecorded: (id: string) => void;
  /**
   * While its description and its files are being sent, the next contribution needs a new id. A reload ends the
   * sending; so does the returned function.
   */
  markSending: (id: string) => () => void;
  /**
   * The latest text of this contribution, edited or not; '' is a transcript still to be typed. Without an id, that of
   * any contribution (decision 0371).
   */
  transcript: (interviewId: string | undefined) => string | undefined;
  keepTranscript: (text: string, interviewId?: string) => void;
  /** A text that still grows: its contribution does not count as having its transcript yet. */
  keepGrowing: (text: string, interviewId: string | undefined) => void;
  /** A local id that has become one of the database. */
  exchange: (localId: string, id: string) => void;
  /** §2.11 'the stored transcript is removed', unless it is another contribution's; that there was one stays known. */
  forgetTranscript: (interviewId: string | undefined) => void;
  /**
   * §4 'stored ids are cleared', with the transcript and the key that belong to them; those of other contributions
   * stay. Without an id, all that this tab has is cleared.
   */
  clear: (interviewId?: string) => void;
}>;

/** Which row a local id became, for as long as this tab knows the local one (history, session storage). */
export const EXCHANGED = 'exchanged_id:';

/** By the key of the storage. */
const kept = new Map<string, number>();

/** Contributions whose files this page sends or has sent. */
const sending = new Set<string | undefined>();

export function submissionStore(keys: StorageKeys): SubmissionStore {
  const isCurrent = watchClearing();
  const keep: Keep = (storage, key, value) => isCurrent() && tryToStore(storage, key, value);
  const texts = createTexts(keys, keep);
  const { described, recorded } = getOwnKeys(keys);
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
    recordedInterviewId: () => read(recorded),
    keepRecorded: (id) => void keep(sessionStorage, recorded, id),
    markSending,
    transcript: texts.find,
    keepTranscript: (text, interviewId) => {
      texts.keep(text, interviewId);
      if (interviewId !== undefined) keep(sessionStorage, keys.transcriptInterviewId, interviewId);
    },
    keepGrowing: texts.keep,
    exchange: (localId, id) => {
      keep(sessionStorage, EXCHANGED + localId, id);
      texts.exchange(localId, id);
      for (const key of [keys.interviewId, keys.transcriptInterviewId, described, recorded])
        if (read(key) === localId) keep(sessionStorage, key, id);
    },
    forgetTranscript: (interviewId) =>
      texts.remove((owner) => interviewId === undefined || owner === undefined || owner === interviewId),
    clear: (interviewId) => clear(keys, texts, interviewId),
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

function getOwnKeys({ interviewId }: StorageKeys) {
  return { described: `${interviewId}:described`, recorded: `${interviewId}:recorded` };
}

/** Tells whether it is stored. */
type Keep = (storage: Storage, key: string, value: string) => boolean;

/** The latest text of this tab and that of all tabs, each with its contribution beside it (decision 0371). */
function createTexts(keys: StorageKeys, keep: Keep) {
  const here = { storage: sessionStorage, key: keys.latestTranscript };
  const shared = { storage: localStorage, key: keys.interviewTranscript };
  const places = [here, shared];
  /** Undefined for a text whose contribution has no id yet. */
  const getOwner = ({ storage, key }: typeof here): string | undefined => {
    const owner = storage.getItem(getOwnerKey(key));
    if (owner !== null) return owner === '' ? undefined : owner;
    // An earlier version kept no owner beside the text; what this tab kept last was kept in both places.
    const isFromHere = storage.getItem(key) === sessionStorage.getItem(here.key);
    return isFromHere ? read(keys.transcriptInterviewId) : undefined;
  };
  return {
    getOwnerHere: () => getOwner(here),
    find: (interviewId: string | undefined): string | undefined => {
      const isMeant = (place: typeof here) => interviewId === undefined || getOwner(place) === interviewId;
      const latest = isMeant(here) ? sessionStorage.getItem(here.key) : null;
      return latest ?? (isMeant(shared) ? read(shared.key, localStorage) : undefined);
    },
    keep: (text: string, interviewId: string | undefined) => {
      for (const { storage, key } of places)
        if (keep(storage, key, text)) keep(storage, getOwnerKey(key), interviewId ?? '');
    },
    exchange: (localId: string, id: string) => {
      for (const { storage, key } of places)
        if (read(getOwnerKey(key), storage) === localId) keep(storage, getOwnerKey(key), id);
    },
    remove: (isMeant: (owner: string | undefined) => boolean) => {
      const meant = places.filter((place) => isMeant(getOwner(place)));
      for (const { storage, key } of meant) for (const name of [key, getOwnerKey(key)]) storage.removeItem(name);
    },
  };
}

function clear(keys: StorageKeys, texts: ReturnType<typeof createTexts>, interviewId: string | undefined): void {
  const atHand = read(keys.interviewId);
  const isOther = interviewId !== undefined && atHand !== undefined && atHand !== interviewId;
  const ofThisTab = [undefined, atHand, texts.getOwnerHere()];
  forgetKey(interviewId);
  texts.remove((owner) => (interviewId === undefined ? ofThisTab.includes(owner) : owner === interviewId));
  if (isOther) return;
  forgetKey(atHand);
  forgetFiles();
  const { described, recorded } = getOwnKeys(keys);
  for (const key of [keys.interviewId, described]) sessionStorage.removeItem(key);
  for (const key of [keys.transcriptInterviewId, recorded])
    if (interviewId === undefined || read(key) === interviewId) sessionStorage.removeItem(key);
}

/** An empty entry is none. */
function read(key: string, storage: Storage = sessionStorage): string | undefined {
  const value = storage.getItem(key);
  return value === null || value === '' ? undefined : value;
}
