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
/** Roles last seen, where interrupted uploads stand (tus-js-client), and words that were not sent. */
const PREFIXES = ['last_role:', 'tus::', REVIEW_DRAFT_PREFIX];

/**
 * §4 'Logout': everything of this user's session and work, with their key at the transcription service (decision 0123).
 * What belongs to the device stays; docs/privacy.md lists all that the browser keeps.
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
  return Object.keys(localStorage).some((key) => key.startsWith(REVIEW_DRAFT_PREFIX));
}
