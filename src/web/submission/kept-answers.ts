import { isLike } from '#web/backend/stored-session.ts';
import { NO_ANSWERS, type WAnswers } from '#web/backend/w-questions.ts';

/** §5: the answers of a local id, in the storage of this tab. */
const PREFIX = 'w_questions_answers:';

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
    return isLike(kept, NO_ANSWERS) ? kept : undefined;
  } catch {
    return undefined;
  }
}
