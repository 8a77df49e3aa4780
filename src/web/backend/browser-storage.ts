import { AREAS } from '#contract/areas.ts';

export const LAST_ACTIVITY = 'last_activity';
export const SAVED_PATH = 'redirect_after_login';
const AUTH_TOKEN = 'auth_token';
/** D12: a person's own key at the transcription service. */
export const TRANSCRIPTION_KEY = 'transcription_api_key';
/** What a contributor has written about a post and not sent, by the post's id. */
export const REVIEW_DRAFT_PREFIX = 'review_draft:';
/** Pixels that the unfinished contributions took on the start page the last time. */
export const UNFINISHED_HEIGHT = 'unfinished_height';
/** Roles last seen, and where interrupted uploads stand (tus-js-client). */
const PREFIXES = ['last_role:', 'tus::'];

/**
 * §4 'Logout': everything of this user's session and work, with their key at the transcription service (decision 0123).
 * What belongs to the device or to the bearer of a review link stays; docs/privacy.md lists all that the browser keeps.
 */
export function clearUserData(sessionKey: string): void {
  sessionStorage.clear();
  const keys = [
    LAST_ACTIVITY,
    SAVED_PATH,
    AUTH_TOKEN,
    TRANSCRIPTION_KEY,
    UNFINISHED_HEIGHT,
    sessionKey,
    ...AREAS.map((area) => area.storageKeys.interviewTranscript),
  ];
  for (const key of keys) localStorage.removeItem(key);
  for (const key of Object.keys(localStorage)) {
    if (PREFIXES.some((prefix) => key.startsWith(prefix)) || key.startsWith(sessionKey)) localStorage.removeItem(key);
  }
}

/** Whether words of a contributor wait on this device. */
export function hasReviewDrafts(): boolean {
  return listReviewDrafts().length > 0;
}

/** As long as a link counts: the words wait for the link that replaces one. */
const REVIEW_DRAFT_KEPT_MS = 30 * 24 * 3_600_000;

/** Words that nobody has changed for so long are not going to be sent. */
export function forgetOldReviewDrafts(now: number): void {
  for (const key of listReviewDrafts()) {
    if (now - readTime(localStorage.getItem(key)) > REVIEW_DRAFT_KEPT_MS) localStorage.removeItem(key);
  }
}

function listReviewDrafts(): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(REVIEW_DRAFT_PREFIX));
}

/** When a draft was changed last, in ms since 1970; 0 where it does not say so. */
function readTime(draft: string | null): number {
  try {
    const kept: unknown = JSON.parse(draft ?? 'null');
    return typeof kept === 'object' && kept !== null && 'at' in kept && typeof kept.at === 'number' ? kept.at : 0;
  } catch {
    return 0;
  }
}
