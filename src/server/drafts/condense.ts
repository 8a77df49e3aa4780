import type { NumberedSentence } from './prompt.ts';

/** The marker and the line end around a sentence. */
const AROUND = 10;
const MEAN_SENTENCE = 80;

const measure = ({ text }: NumberedSentence): number => text.length + AROUND;
const measureAll = (sentences: readonly NumberedSentence[]): number =>
  sentences.reduce((sum, sentence) => sum + measure(sentence), 0);

export type Part = Readonly<{
  sentences: readonly NumberedSentence[];
  /** Characters that may be left of it; most: about as many sentences. */
  characters: number;
  most: number;
}>;

/**
 * Parts of at most `characters` in which long material is read, whose shares together fit into `characters`; none where
 * all of it fits. A sentence that is longer than its part is cut.
 */
export function planParts(sentences: readonly NumberedSentence[], characters: number): Part[] {
  if (measureAll(sentences) <= characters) return [];
  const parts: NumberedSentence[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const sentence of sentences) {
    const fitting = { ...sentence, text: sentence.text.slice(0, characters - AROUND) };
    if (size + measure(fitting) > characters) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(fitting);
    size += measure(fitting);
  }
  const share = Math.floor(characters / parts.length);
  return parts.map((part) => ({
    sentences: part,
    characters: share,
    most: Math.max(1, Math.floor(share / MEAN_SENTENCE)),
  }));
}

/** Numbers of a model's answer in their order, whatever stands around them. */
export const readSelection = (answer: string): number[] => (answer.match(/\d{1,7}/g) ?? []).map(Number);

/**
 * The chosen sentences of a part that fit into its share, in the order of the material. Where the answer names none,
 * the longest ones.
 */
export function selectSentences({ sentences, characters }: Part, chosen: readonly number[]): NumberedSentence[] {
  const byNumber = new Map(sentences.map((sentence) => [sentence.number, sentence]));
  const named = [...new Set(chosen)].flatMap((number) => byNumber.get(number) ?? []);
  const ranked = named.length > 0 ? named : sentences.toSorted((one, other) => measure(other) - measure(one));
  const kept: NumberedSentence[] = [];
  let left = characters;
  for (const sentence of ranked) {
    if (measure(sentence) > left) continue;
    kept.push(sentence);
    left -= measure(sentence);
  }
  const [first] = ranked;
  if (kept.length === 0 && first !== undefined)
    return [{ ...first, text: first.text.slice(0, Math.max(0, characters - AROUND)) }];
  return kept.toSorted((one, other) => one.number - other.number);
}
