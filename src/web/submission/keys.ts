import { LINKED_PREFIX, tryToStore } from '#web/backend/browser-storage.ts';

/** D9: the key of each contribution, by its id, in the storage of this tab. */
const PREFIX = 'interview_key:';

/**
 * Of contributions that are still sent after a logout: only in memory, so that the next person finds no key. And of
 * those for which the storage has no room.
 */
const lateKeys = new Map<string, string>();

/** Keeps the key of a contribution that was made here, or came with a link. */
export function keepKey(interviewId: string, key: string, isCurrent = true): void {
  if (!isCurrent || !tryToStore(sessionStorage, PREFIX + interviewId, key)) lateKeys.set(interviewId, key);
}

export function readKey(interviewId: string | undefined): string | undefined {
  if (interviewId === undefined) return undefined;
  return sessionStorage.getItem(PREFIX + interviewId) ?? lateKeys.get(interviewId);
}

export function forgetKey(interviewId: string | undefined): void {
  if (interviewId === undefined) return;
  sessionStorage.removeItem(PREFIX + interviewId);
  lateKeys.delete(interviewId);
}

const lateLinks = new Set<string>();

/** Keeps the key of a link. A tab that has the key already is the owner's own. */
export function keepLinkedKey(interviewId: string, key: string): void {
  const isNew = readKey(interviewId) === undefined;
  if (isNew && !tryToStore(sessionStorage, LINKED_PREFIX + interviewId, 'true')) lateLinks.add(interviewId);
  keepKey(interviewId, key);
}

/** Who has logged in since as the owner is not a guest of the contribution any more. */
export function forgetLink(interviewId: string): void {
  sessionStorage.removeItem(LINKED_PREFIX + interviewId);
  lateLinks.delete(interviewId);
}

export function isLinked(interviewId: string | undefined): boolean {
  if (interviewId === undefined) return false;
  return sessionStorage.getItem(LINKED_PREFIX + interviewId) !== null || lateLinks.has(interviewId);
}
