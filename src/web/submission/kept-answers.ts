import type { WAnswers } from '#web/backend/interviews.ts';
import { isLike } from '#web/backend/stored-session.ts';

/** §5: the answers of a local id, in the storage of this tab. */
const PREFIX = 'w_questions_answers:';
const EXAMPLE: WAnswers = { who: '', what: '', when: '', where: '', why: '' };

export function keepAnswers(interviewId: string, answers: WAnswers): void {
  try {
    sessionStorage.setItem(PREFIX + interviewId, JSON.stringify(answers));
  } catch {
    console.warn('browser storage: W-answers could not be kept');
  }
}

export function getKeptAnswers(interviewId: string): WAnswers | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(PREFIX + interviewId) ?? '');
    return isLike(kept, EXAMPLE) ? kept : undefined;
  } catch {
    return undefined;
  }
}
