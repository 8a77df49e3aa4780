import type { AreaId } from '#contract/areas.ts';

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

/** The key of an insert that has not ended, by area. */
const PENDING_PREFIX = 'pending_interview_key:';

const KEY_BYTES = 32;

/** 256 random bits, base64url. */
export function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Makes the key of a new contribution. Uses the key of an insert that has not ended again, as after a reload in the
 * middle of it: the insert then finds its first row instead of making another (decision 0041).
 */
export function beginKey(area: AreaId): string {
  const key = sessionStorage.getItem(PENDING_PREFIX + area) ?? makeKey();
  try {
    sessionStorage.setItem(PENDING_PREFIX + area, key);
  } catch {
    console.warn('browser storage: the key of an insert could not be kept');
  }
  return key;
}

/** To be called once the insert has ended, with a row or without. */
export function endKey(area: AreaId): void {
  sessionStorage.removeItem(PENDING_PREFIX + area);
}

/** D9: hands the contribution to somebody without a login. The fragment never reaches a server. */
export function makeContributorLink(origin: string, interviewId: string, key: string): string {
  return `${origin}/upload#${new URLSearchParams({ i: interviewId, k: key }).toString()}`;
}
