/** D9: the key of each contribution, by its id, in the storage of this tab. */
const PREFIX = 'interview_key:';

/**
 * Of contributions that are still sent after a logout: only in memory, so that the next person finds no key. And of
 * those for which the storage has no room.
 */
const lateKeys = new Map<string, string>();

/** Keeps the key of a contribution that was made here, or came with a link. */
export function keepKey(interviewId: string, key: string, isCurrent = true): void {
  try {
    if (isCurrent) return sessionStorage.setItem(PREFIX + interviewId, key);
  } catch {}
  lateKeys.set(interviewId, key);
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

/** Contributions this tab knows by a link only: someone else made them and completes them. */
const LINKED_PREFIX = 'linked_contribution:';

/** Keeps the key of a link. A tab that has the key already is the owner's own. */
export function keepLinkedKey(interviewId: string, key: string): void {
  if (readKey(interviewId) === undefined) sessionStorage.setItem(LINKED_PREFIX + interviewId, 'true');
  keepKey(interviewId, key);
}

export function isLinked(interviewId: string | undefined): boolean {
  return interviewId !== undefined && sessionStorage.getItem(LINKED_PREFIX + interviewId) !== null;
}
