import { AREAS } from '#contract/areas.ts';

export const LAST_ACTIVITY = 'last_activity';
export const SAVED_PATH = 'redirect_after_login';
const AUTH_TOKEN = 'auth_token';
/** D12: a person's own key at the transcription service. */
export const TRANSCRIPTION_KEY = 'transcription_api_key';
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
