import type { AreaId } from '#contract/areas.ts';
import { PENDING_KEY, tryToStore } from '#web/backend/browser-storage.ts';

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
  const key = sessionStorage.getItem(PENDING_KEY + area) ?? makeKey();
  tryToStore(sessionStorage, PENDING_KEY + area, key);
  return key;
}

/** To be called once the insert has ended, with a row or without. */
export function endKey(area: AreaId): void {
  sessionStorage.removeItem(PENDING_KEY + area);
}

/** D9: hands the contribution to somebody without a login. The fragment never reaches a server. */
export function makeContributorLink(origin: string, interviewId: string, key: string): string {
  return `${origin}/upload#${new URLSearchParams({ i: interviewId, k: key }).toString()}`;
}
