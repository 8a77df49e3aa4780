import { parseNumeral } from './numerals.ts';
import type { ReadSentence } from './sources.ts';
import { isEmptyWord, listKeys, matchAny, NEGATOR, splitClauses, type Word } from './words.ts';

/** Opposite words, and what they speak of: their clause, the word or the number behind. Escaped as in numerals.ts. */
const AXES = [
  [
    'clause',
    String.raw`mehr h\u00f6her\p{L}* (?:ge|an|ange)?st(?:ie|ei)g\p{L}* erh\u00f6h\p{L}* (?:ge)?wachsen w\u00e4chst wuchs\p{L}* zuwachs`,
    String.raw`weniger (?:niedrig|gering|verring)er\p{L}* (?:ge)?s[aeiu]nk(?!r)\p{L}* reduzier\p{L}* r\u00fcckg[a\u00e4]ng\p{L}*`,
  ],
  ['clause', String.raw`schneller\p{L}*`, String.raw`langsamer\p{L}*`],
  ['word', 'vor bevor', 'nach nachdem'],
  ['number', 'mindestens wenigstens über mehrals', 'höchstens maximal unter wenigerals'],
].map(([of, ...poles]) => ({ of, poles: poles.map(matchAny) }));
type Axis = (typeof AXES)[number];

/** `about`: each word that it speaks of, by its keys. */
type Direction = Readonly<{ word: Word; axis: Axis; pole: number; about: readonly (readonly string[])[] }>;

/** Words of a post's sentence whose opposite the sources say of the same, and not these. */
export function findTurned(sentence: ReadSentence, sources: readonly ReadSentence[]): Word[] {
  const said = findDirections(sentence);
  if (said.length === 0) return [];
  const there = sources.flatMap(findDirections);
  const turned = said.filter(({ axis, pole, about }) => {
    const alike = there.filter((one) => one.axis === axis);
    const isSaid = alike.some((one) => one.pole === pole && countShared(about, one.about) > 0);
    return !isSaid && alike.some((one) => 2 * countShared(about, one.about) > Math.min(about.length, one.about.length));
  });
  return turned.map(({ word }) => word);
}

const countShared = (one: Direction['about'], other: Direction['about']): number =>
  one.filter((keys) => other.flat().some((key) => keys.includes(key))).length;

/** Not of a negated clause ('nicht mehr'), nor of one that says both directions of itself. */
function findDirections({ text, start }: Pick<ReadSentence, 'text' | 'start'>): Direction[] {
  return splitClauses(text, start).flatMap((words) => {
    if (words.some(({ folded }) => NEGATOR.test(folded))) return [];
    return AXES.flatMap((axis) => {
      const found = words.flatMap((word, at): Direction[] => {
        // 'Mehr als 5' is no 'mehr', and 'vor allem' no 'vor'.
        const [joined = ''] = /^(?:als|allem)$/.exec(words[at + 1]?.folded ?? '') ?? [];
        const phrase = word.text.toLowerCase() + joined;
        const pole = axis.poles.findIndex((pattern) => pattern.test(phrase));
        return pole < 0 ? [] : [{ word, axis, pole, about: listAbout(axis, words, at) }];
      });
      const isBoth = axis.of === 'clause' && found.some(({ pole }) => pole !== found[0]?.pole);
      return isBoth ? [] : found;
    });
  });
}

function listAbout({ of }: Axis, words: readonly Word[], at: number): Direction['about'] {
  const behind = words.slice(at + 1).filter(({ folded }) => folded !== 'als');
  const others = of === 'clause' ? words.toSpliced(at, 1) : of === 'number' ? behind.slice(0, 1) : behind;
  const about = others
    .filter((word) => /\d/.test(word.text) || !isEmptyWord(word))
    .map(({ folded, stem }) => listKeys(String(parseNumeral(folded) ?? stem)));
  if (of === 'clause') return about;
  return about.slice(0, 1).filter(([key = '']) => of === 'word' || /^\d/.test(key));
}
