import { REVIEW_DRAFT_PREFIX } from '#web/backend/browser-storage.ts';

/** What an answer with words is about. */
export type WordedAnswer = 'change' | 'decline' | 'withdraw';

/** `speaking`: the recorder was open, so a reload shows what it kept. */
export type Draft = Readonly<{ about: WordedAnswer; text: string; speaking?: boolean }>;

/** Words about a post that have not reached the server: they outlive the tab and the link. */
export function readDraft(post: number): Draft | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(REVIEW_DRAFT_PREFIX + post) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('about' in kept) || !('text' in kept)) return undefined;
    const { about, text } = kept;
    const known = about === 'change' || about === 'decline' || about === 'withdraw';
    const speaking = 'speaking' in kept && kept.speaking === true;
    return known && typeof text === 'string' ? { about, text, speaking } : undefined;
  } catch {
    return undefined;
  }
}

/** A full storage keeps the words on the screen alone. */
export function keepDraft(post: number, draft: Draft): void {
  try {
    localStorage.setItem(REVIEW_DRAFT_PREFIX + post, JSON.stringify(draft));
  } catch (error) {
    console.warn('review: draft not kept', error instanceof Error ? error.name : '');
  }
}

export function dropDraft(post: number): void {
  localStorage.removeItem(REVIEW_DRAFT_PREFIX + post);
}
