import { adoptInterviewKey, currentInterviewKey } from '#web/backend/interview-key.ts';

/** D9: which key opens which contribution, so that work in two areas of one tab does not lose the first one's key. */
const PREFIX = 'interview_key:';

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
