import { parseNumeral } from './numerals.ts';
import type { ReadSentence } from './sources.ts';
import { isEmptyWord, listKeys, matchAny, NEGATOR, splitClauses, type Word } from './words.ts';

/** Opposite words, and what they speak of: their clause, the time or the number behind. Escaped as in numerals.ts. */
const AXES = [
  [
    'clause',
    String.raw`mehr h\u00f6her\p{L}* (?:ge|an|ange)?st(?:ie|ei)g\p{L}* erh\u00f6h\p{L}* (?:ge)?wachsen w\u00e4chst wuchs\p{L}* zuwachs`,
    String.raw`weniger (?:niedrig|gering|verring)er\p{L}* (?:ge)?s[aeiu]nk(?!r)\p{L}* reduzier\p{L}* r\u00fcckg[a\u00e4]ng\p{L}*`,
  ],
  ['clause', String.raw`schneller\p{L}*`, String.raw`langsamer\p{L}*`],
  [
    'time',
    'vor bevor davor vorher zuvor früher bisher bis',
    String.raw`nach nachdem danach nachher sp\u00e4ter seit\p{L}* heute jetzt inzwischen`,
  ],
  ['number', 'mindestens wenigstens über mehrals', 'höchstens maximal unter wenigerals'],
].map(([of, ...poles]) => ({ of, poles: poles.map(matchAny) }));
type Axis = (typeof AXES)[number];

/** Figures of speech. */
const PHRASES = /(?<!\p{L})(?:nach und nach|nach wie vor|vor (?:allem|allen|ort))(?!\p{L})/giu;

/** `about`: each word that it speaks of, by its keys; of a word as 'danach' none, because it may speak of anything. */
type Direction = Readonly<{ word: Word; axis: Axis; pole: number; about: readonly (readonly string[])[] }>;

type Sentences = readonly Pick<ReadSentence, 'text' | 'start'>[];

/** Words of a post's sentence whose opposite the sources say of the same, and not these, nor right behind. */
export function findTurned(sentence: ReadSentence, sources: Sentences, behind: Sentences): Word[] {
  const said = findDirections(sentence);
  if (said.length === 0) return [];
  const there = sources.flatMap(findDirections);
  const around = [...there, ...behind.flatMap(findDirections)];
  const turned = said.filter(({ axis, pole, about }) => {
    const isSaid = around.some(
      (one) => one.axis === axis && one.pole === pole && (one.about.length === 0 || countShared(about, one.about) > 0),
    );
    const isTurned = (one: Direction): boolean =>
      one.axis === axis && 2 * countShared(about, one.about) > Math.min(about.length, one.about.length);
    return !isSaid && there.some(isTurned);
  });
  return turned.map(({ word }) => word);
}

const countShared = (one: Direction['about'], other: Direction['about']): number =>
  one.filter((keys) => other.flat().some((key) => keys.includes(key))).length;

/** Not of a negated clause ('nicht mehr'), nor of one that says both directions of itself. */
function findDirections({ text, start }: Sentences[number]): Direction[] {
  const plain = text.replaceAll(PHRASES, (said) => ' '.repeat(said.length));
  return splitClauses(plain, start).flatMap((words) => {
    if (words.some(({ folded }) => NEGATOR.test(folded))) return [];
    return AXES.flatMap((axis) => {
      const found = words.flatMap((word, at): Direction[] => {
        // 'Mehr als 5' is no 'mehr'.
        const phrase = word.text.toLowerCase() + (words[at + 1]?.folded === 'als' ? 'als' : '');
        const pole = axis.poles.findIndex((pattern) => pattern.test(phrase));
        const about = pole < 0 ? [] : listAbout(axis, words, at);
        return pole < 0 || (axis.of === 'number' && about.length === 0) ? [] : [{ word, axis, pole, about }];
      });
      const isBoth = axis.of === 'clause' && found.some(({ pole }) => pole !== found[0]?.pole);
      const definite = found.filter(({ about }) => about.length > 0);
      return isBoth ? [] : definite.length > 0 ? definite : found;
    });
  });
}

function listAbout({ of }: Axis, words: readonly Word[], at: number): Direction['about'] {
  const others = of === 'clause' ? words.toSpliced(at, 1) : words.slice(at + 1);
  const spoken = others.filter((word) => /\d/.test(word.text) || !isEmptyWord(word));
  const about =
    of === 'clause' ? spoken : of === 'time' ? listTime(words[at]?.folded ?? '', spoken) : others.slice(0, 2);
  const keys = about.map(({ folded, stem }) => listKeys(String(parseNumeral(folded) ?? stem)));
  return of === 'number' ? keys.filter(([key = '']) => /^\d/.test(key)).slice(0, 1) : keys;
}

/** Of 'vor zwei Jahren' both words, of 'bevor wir die Pumpe einbauen' the last one. */
function listTime(said: string, behind: readonly Word[]): readonly Word[] {
  if (said === 'bevor' || said === 'nachdem') return behind.slice(-1);
  const noun = behind.findIndex(({ text }) => /^(?:\p{Lu}|\d{4}$)/u.test(text));
  return said === 'vor' || said === 'nach' ? behind.slice(0, Math.max(noun, 0) + 1) : [];
}
