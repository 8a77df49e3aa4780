import { W_ANSWER_MIN_LENGTH_IMAGES } from '#contract/limits.ts';
import { W_QUESTIONS, type WAnswers } from '#web/backend/interviews.ts';
import type { MediaKind } from './texts.ts';

export type WQuestion = (typeof W_QUESTIONS)[number];

export const NO_ANSWERS: WAnswers = { who: '', what: '', when: '', where: '', why: '' };

/**
 * §5: a video's answers must not be empty after trimming, an image's have at least 2 characters. In the order asked.
 */
export function unanswered(kind: MediaKind, answers: WAnswers): readonly WQuestion[] {
  const least = kind === 'image' ? W_ANSWER_MIN_LENGTH_IMAGES : 1;
  return W_QUESTIONS.filter((question) => answers[question].trim().length < least);
}

export function trimmed(answers: WAnswers): WAnswers {
  const { who, what, when, where, why } = answers;
  return { who: who.trim(), what: what.trim(), when: when.trim(), where: where.trim(), why: why.trim() };
}
