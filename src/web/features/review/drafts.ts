import { tryToStore } from '#web/backend/browser-storage.ts';
import { parseJson } from '#web/backend/parse-json.ts';
import { isLike, readLike } from '#web/backend/stored-session.ts';

/** Words about a post that have not reached the server, by post. */
const PREFIX = 'review_draft:';
/** As long as a link counts: the words wait for the link that replaces one. */
const KEPT_MS = 30 * 24 * 3_600_000;

const WORDED = ['change', 'decline', 'withdraw'] as const;

/** What an answer with words is about. */
export type WordedAnswer = (typeof WORDED)[number];

/** `speaking`: the recorder was open, so a reload shows what it kept. `version`: of the post that it is about. */
type Draft = Readonly<{ about: WordedAnswer; text: string; speaking?: boolean; version?: number | undefined }>;

/**
 * Words about a post that have not reached the server: they outlive the tab, the link and a logout. Only a link to the
 * same post shows them again (decision 0356).
 */
export function readDraft(post: number): Draft | undefined {
  const kept = readLike(localStorage, PREFIX + post, { about: '', text: '' });
  const about = WORDED.find((one) => one === kept?.about);
  if (kept === undefined || about === undefined || isOld(kept)) return undefined;
  const speaking = 'speaking' in kept && kept.speaking === true;
  const version = isLike(kept, { version: 0 }) ? kept.version : undefined;
  return { about, text: kept.text, speaking, version };
}

/** Where the storage is full, the words stay only on the screen. */
export function keepDraft(post: number, draft: Draft): void {
  tryToStore(localStorage, PREFIX + post, JSON.stringify({ ...draft, at: Date.now() }));
}

export function dropDraft(post: number): void {
  localStorage.removeItem(PREFIX + post);
}

/** Whether words of a contributor wait on this device. */
export function hasReviewDrafts(): boolean {
  return listDrafts().some(([, draft]) => !isOld(draft));
}

/** Removes drafts that are unchanged for KEPT_MS: they will not be sent any more. */
export function forgetOldReviewDrafts(): void {
  for (const [key, draft] of listDrafts()) if (isOld(draft)) localStorage.removeItem(key);
}

function listDrafts(): readonly (readonly [string, unknown])[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  return keys.map((key) => [key, parseJson(localStorage.getItem(key) ?? 'null')] as const);
}

/** One that does not say when it was changed last counts as old. */
function isOld(draft: unknown): boolean {
  return !isLike(draft, { at: 0 }) || Date.now() - draft.at > KEPT_MS;
}
