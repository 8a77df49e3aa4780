import { AREAS } from '#contract/areas.ts';

/** Stands in for a Storage. Its keys are own properties, too, so that Object.keys lists them. */
class Memory {
  [key: string]: unknown;
  getItem(key: string): unknown {
    return this[key] ?? null;
  }
  setItem(key: string, value: string): void {
    this[key] = value;
  }
  removeItem(key: string): void {
    delete this[key];
  }
}

/** Where the browser lets no page keep anything ('Alle Cookies blockieren'), all works until the page is closed. */
for (const name of ['localStorage', 'sessionStorage'])
  try {
    Reflect.get(globalThis, name);
  } catch {
    Reflect.defineProperty(globalThis, name, { value: new Memory() });
  }

export const LAST_ACTIVITY = 'last_activity';
export const SAVED_PATH = 'redirect_after_login';
const AUTH_TOKEN = 'auth_token';
/** Of the session, also of one with the backend that the installation had before. */
const SESSION_PREFIX = 'sb-';
/** D12: a person's own key at the transcription service. */
export const TRANSCRIPTION_KEY = 'transcription_api_key';
/** Pixels that the unfinished contributions took on the start page the last time. */
export const UNFINISHED_HEIGHT = 'unfinished_height';
/** Roles last seen, and where interrupted uploads stand (tus-js-client). */
const PREFIXES = ['last_role:', 'tus::'];
/** The account that both kinds of storage belong to. Stays when a session ends by itself, so that its work is found. */
const OWNER = 'data_owner';

/** The key of an insert that has not ended, by area. */
export const PENDING_KEY = 'pending_interview_key:';
/** Contributions this tab knows by a link only: someone else made them and completes them. */
export const LINKED_PREFIX = 'linked_contribution:';

/** Of a review link, which needs no login: stays in its tab where a login ends by itself (decision 0412). */
export const REVIEW_KEY = 'review_key';

/** A full storage stops nothing. Tells whether it has taken the value. */
export function tryToStore(storage: Storage, key: string, value: string): boolean {
  try {
    storage.setItem(key, value);
    return true;
  } catch {
    console.warn(`${key} could not be kept`);
    return false;
  }
}

/** Beside the text kept under `textKey`: the contribution that it belongs to (decision 0371). */
export function getOwnerKey(textKey: string): string {
  return `${textKey}:contribution`;
}

/**
 * §4 'Logout': everything of this user's session and work, with their key at the transcription service (decision 0123).
 * What belongs to the device or to the bearer of a review link stays; docs/privacy.md lists all that the browser keeps.
 */
export function clearUserData(): void {
  clearTab();
  clearDevice([...PREFIXES, SESSION_PREFIX, SAVED_PATH, LAST_ACTIVITY]);
}

/** Removes what these prefixes name, and the keys that every account leaves behind. */
function clearDevice(prefixes: readonly string[]): void {
  const transcripts = AREAS.map(({ storageKeys }) => storageKeys.interviewTranscript);
  const all = [...prefixes, OWNER, AUTH_TOKEN, TRANSCRIPTION_KEY, UNFINISHED_HEIGHT, ...transcripts];
  for (const key of Object.keys(localStorage)) {
    if (all.some((prefix) => key.startsWith(prefix))) localStorage.removeItem(key);
  }
}

/** The account whose data this browser holds, also where its session ended without a logout. */
export function getDataOwner(): string | null {
  return localStorage.getItem(OWNER);
}

let clearings = 0;

/** `owner`: who is here now instead. */
function clearTab(owner: string | null = null): void {
  clearings += 1;
  for (const key of Object.keys(sessionStorage))
    if (owner !== null || key !== REVIEW_KEY) sessionStorage.removeItem(key);
}

/** Grows where this tab is another person's from now on. */
export function countClearings(): number {
  return clearings;
}

/** The returned function tells whether nothing was cleared since: a screen may still write after a logout. */
export function watchClearing(): () => boolean {
  const before = clearings;
  return () => clearings === before;
}

/**
 * Clears what another account left here, and notes `userId`, whose session is stored, as the owner from now on. Without
 * a stored session, the missing owner in the storage that all tabs share tells of a logout in another tab.
 */
export function clearDataOfOthers(userId: string | undefined): void {
  const last = localStorage.getItem(OWNER);
  const owner = userId ?? last;
  if (last !== null && last !== owner) clearDevice(PREFIXES);
  const here = sessionStorage.getItem(OWNER);
  if (here !== null && here !== owner) clearTab(owner);
  if (here === null && userId !== undefined) forgetGuestContributions();
  if (userId !== undefined) for (const storage of [localStorage, sessionStorage]) tryToStore(storage, OWNER, userId);
}

/**
 * A login continues nothing that a guest began in this tab (decision 0393). The key of a guest's contribution stays for
 * its files. A contribution that a link has opened stays current, because nothing new is ever added to it.
 */
function forgetGuestContributions(): void {
  for (const { id, storageKeys } of AREAS) {
    sessionStorage.removeItem(PENDING_KEY + id);
    const isOfLink = sessionStorage.getItem(LINKED_PREFIX + sessionStorage.getItem(storageKeys.interviewId)) !== null;
    if (!isOfLink) sessionStorage.removeItem(storageKeys.interviewId);
  }
}
