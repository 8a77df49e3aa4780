import type { WQuestion } from '#contract/voice.ts';

export function countWords(answer: string): number {
  return answer.match(/[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}

const STOP_WORDS_MAX = 10;
const STOP =
  /\b(?:(?:interview|gespräch|aufnahme)\s+(?:jetzt\s+|hier\s+|bitte\s+)*(?:beenden|abbrechen|stoppen)|beende\s+(?:bitte\s+)?das\s+(?:interview|gespräch)|(?:möchte|will|würde)\s+(?:jetzt\s+|gern\s+|gerne\s+|hier\s+)*(?:aufhören|schluss machen))/iu;

/** Whether the person asks to end the interview. A long answer with such words tells a story. */
export function wantsToStop(answer: string): boolean {
  return countWords(answer) <= STOP_WORDS_MAX && STOP.test(answer);
}

const IGNORANCE =
  /(?:weiß|weiss)\s+(?:ich|es)?\s*(?:leider\s+)?(?:nicht|nich)|keine ahnung|kann ich nicht sagen|möchte ich nicht sagen/iu;

/** Whether the person cannot answer, so that a probe is pointless. */
export function admitsIgnorance(answer: string): boolean {
  return countWords(answer) < 12 && IGNORANCE.test(answer);
}

const SIGNALS: readonly (readonly [WQuestion, RegExp])[] = [
  [
    'when',
    /\b(?:1[89]|20)\d\d\b|\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|gestern|vorgestern|heute früh|letzte[ns]?\s+(?:woche|monat|jahr)|vor\s+\p{L}+\s+(?:jahren|monaten|wochen|tagen)|seit\s+(?:\d+|dem|der|zwei|drei|vier|fünf|zehn))/iu,
  ],
  ['why', /\b(?:weil|deshalb|deswegen|damit wir|aus dem grund|der grund)\b/iu],
];

/** The W-questions that an answer certainly covers, whatever the question was. */
export function findWSignals(answer: string): readonly WQuestion[] {
  return SIGNALS.filter(([, pattern]) => pattern.test(answer)).map(([question]) => question);
}
