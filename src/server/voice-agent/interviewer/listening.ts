import type { WQuestion } from '#contract/voice.ts';

/** What can be told of a German answer without understanding it. */
export function wordCount(answer: string): number {
  return answer.match(/[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}

const STOP_WORDS_MAX = 10;
const STOP =
  /\b(?:(?:interview|gespräch|aufnahme)\s+(?:jetzt\s+|hier\s+|bitte\s+)*(?:beenden|abbrechen|stoppen)|beende\s+(?:bitte\s+)?das\s+(?:interview|gespräch)|(?:möchte|will|würde)\s+(?:jetzt\s+|gern\s+|gerne\s+|hier\s+)*(?:aufhören|schluss machen))/iu;

/** Whether the person asks to end the interview. A long answer that contains such words is a story, not a wish. */
export function wantsToStop(answer: string): boolean {
  return wordCount(answer) <= STOP_WORDS_MAX && STOP.test(answer);
}

const IGNORANCE =
  /(?:weiß|weiss)\s+(?:ich|es)?\s*(?:leider\s+)?(?:nicht|nich)|keine ahnung|kann ich nicht sagen|möchte ich nicht sagen/iu;

/** 'Weiß ich nicht': asking more of the same would only annoy. */
export function admitsIgnorance(answer: string): boolean {
  return wordCount(answer) < 12 && IGNORANCE.test(answer);
}

const SIGNALS: readonly (readonly [WQuestion, RegExp])[] = [
  [
    'when',
    /\b(?:1[89]|20)\d\d\b|\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|gestern|vorgestern|heute früh|letzte[ns]?\s+(?:woche|monat|jahr)|vor\s+\p{L}+\s+(?:jahren|monaten|wochen|tagen)|seit\s+(?:\d+|dem|der|zwei|drei|vier|fünf|zehn))/iu,
  ],
  ['why', /\b(?:weil|deshalb|deswegen|damit wir|aus dem grund|der grund)\b/iu],
];

/** W-questions which an answer settles by itself, whatever was asked. Only what can be told for sure. */
export function wSignals(answer: string): readonly WQuestion[] {
  return SIGNALS.filter(([, pattern]) => pattern.test(answer)).map(([question]) => question);
}
