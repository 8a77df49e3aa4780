/** The five W-questions (§3 'W-questions object'), in the order in which they are asked. */
export const W_QUESTIONS = ['who', 'what', 'when', 'where', 'why'] as const;
export type WAnswers = Readonly<Record<(typeof W_QUESTIONS)[number], string>>;

export const NO_ANSWERS: WAnswers = { who: '', what: '', when: '', where: '', why: '' };
