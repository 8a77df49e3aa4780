import type { DraftErrorCode } from '#contract/drafts.ts';

const TAIL = 1_500;
const REPEATED_CHARACTERS = 160;
const REPETITIONS = 4;
const SENTENCE_MIN = 25;

/** Whether the end of a text is one passage again and again, or one of its sentences stands there four times. */
export function repeatsItself(text: string): boolean {
  const tail = text.slice(-TAIL).toLowerCase();
  for (let length = 1; length * REPETITIONS <= tail.length; length += 1) {
    const wanted = Math.max(length * REPETITIONS, REPEATED_CHARACTERS);
    if (wanted <= tail.length && hasPeriod(tail.slice(-wanted), length)) return true;
  }
  const counts = new Map<string, number>();
  for (const sentence of text.toLowerCase().split(/[.!?\n]+\s*/)) {
    if (sentence.trim().length < SENTENCE_MIN) continue;
    const count = (counts.get(sentence.trim()) ?? 0) + 1;
    if (count >= REPETITIONS) return true;
    counts.set(sentence.trim(), count);
  }
  return false;
}

const hasPeriod = (text: string, length: number): boolean => text.slice(length) === text.slice(0, -length);

const listWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Short words of one language alone. */
const GERMAN = listWords(`
  der die das den dem ein eine einen einem einer und oder aber nicht ist sind ich wir sie er es mit von zu auf für
  auch wie bei nach aus wenn dass sich mehr noch nur schon unser unsere mein meine zum zur vom beim hat haben wird werden
  kann können im um über durch doch dann heute uns mich dir dich
`);
const ENGLISH = listWords(`
  the and of to is are we our with for that this it on at by from have has you your they their be been as not but or
  my me us which would can will how what when who i
`);
const ENOUGH_WORDS = 25;
const GERMAN_SHARE = 0.06;

/** False only where there are enough words to tell. */
export function isForeign(text: string): boolean {
  const plain = text.toLowerCase().replaceAll(/https?:\/\/\S+|#\S+/g, ' ');
  const words = plain.match(/\p{L}+/gu) ?? [];
  const german = words.filter((word) => GERMAN.has(word)).length;
  const english = words.filter((word) => ENGLISH.has(word) && !GERMAN.has(word)).length;
  if (english >= 6 && english > german) return true;
  return words.length >= ENOUGH_WORDS && german / words.length < GERMAN_SHARE;
}

/** What is wrong with a text, also with an unfinished one. */
export function findTextError(text: string, progress: 'growing' | 'finished'): DraftErrorCode | undefined {
  if (repeatsItself(text)) return 'answer_repeats';
  if (progress === 'growing')
    return (text.match(/\p{L}+/gu) ?? []).length >= 2 * ENOUGH_WORDS && isForeign(text)
      ? 'answer_not_german'
      : undefined;
  if (!/\p{L}/u.test(text)) return 'answer_empty';
  return isForeign(text) ? 'answer_not_german' : undefined;
}
