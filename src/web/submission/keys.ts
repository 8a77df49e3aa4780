import type { AreaId } from '#contract/areas.ts';
import { adoptInterviewKey, currentInterviewKey, makeInterviewKey } from '#web/backend/interview-key.ts';

/** D9: which key opens which contribution, so that work in two areas of one tab does not lose the first one's key. */
const PREFIX = 'interview_key:';

/** The key of an insert that has not ended, by area. */
const PENDING_PREFIX = 'pending_interview_key:';

/**
 * Makes the key of a new contribution. The key of an insert that has not ended is used again, as after a reload in the
 * middle of it: the insert then finds its first row instead of making another (decision 0041).
 */
export function beginKeyOf(area: AreaId): void {
  const pending = sessionStorage.getItem(PENDING_PREFIX + area);
  if (pending === null) sessionStorage.setItem(PENDING_PREFIX + area, makeInterviewKey());
  else adoptInterviewKey(pending);
}

/** To be called once the insert has ended, with a row or without. */
export function endKeyOf(area: AreaId): void {
  sessionStorage.removeItem(PENDING_PREFIX + area);
}

/**
 * To be called once the insert made with the current key has ended: with its id, or with the local one made instead.
 */
export function rememberKeyOf(interviewId: string): void {
  const key = currentInterviewKey();
  if (key !== undefined) sessionStorage.setItem(PREFIX + interviewId, key);
}

/** D9: a key that came with a link. */
export function acceptKeyOf(interviewId: string, key: string): void {
  sessionStorage.setItem(PREFIX + interviewId, key);
}

export function keyOf(interviewId: string | undefined): string | undefined {
  return interviewId === undefined ? undefined : (sessionStorage.getItem(PREFIX + interviewId) ?? undefined);
}

/** Makes the calls that follow carry the key of this contribution, where the browser has it. */
export function adoptKeyOf(interviewId: string): void {
  const key = keyOf(interviewId);
  if (key !== undefined) adoptInterviewKey(key);
}

export function forgetKeyOf(interviewId: string | undefined): void {
  if (interviewId !== undefined) sessionStorage.removeItem(PREFIX + interviewId);
}

/** D9: hands the contribution to somebody without a login. The fragment never reaches a server. */
export function contributorLink(origin: string, interviewId: string, key: string): string {
  return `${origin}/upload#${new URLSearchParams({ i: interviewId, k: key }).toString()}`;
}
