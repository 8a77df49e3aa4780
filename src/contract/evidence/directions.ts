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
  ['time', 'vor bevor davor vorher zuvor früher bisher', 'nach nachdem danach später seit seitdem heute jetzt'],
  ['number', 'mindestens wenigstens über mehrals', 'höchstens maximal unter wenigerals'],
].map(([of, ...poles]) => ({ of, poles: poles.map(matchAny) }));
type Axis = (typeof AXES)[number];

/** Figures of speech, and what something is compared with: 'schneller als die alte'. */
const PHRASES =
  /(?<!\p{L})(?:nach und nach|nach wie vor|vor (?:allem|allen|ort)|sankt|(?<=(?:mehr|\p{L}er)(?: \p{L}+)? )(?<!(?:mehr|weniger) )als(?: (?!und |aber |doch )[\p{L}\d]+)+)(?!\p{L})/giu;
/** Who saves more needs less, and 'kaum mehr' is less. */
const INVERTING = matchAny(String.raw`kaum selten statt \p{L}*spar\p{L}*`);
const EARLIER = matchAny('vor bevor davor vorher zuvor fruher bisher damals anfangs einst alte[mnrs]?');
/** Who needs less of it has more of it; '5 %' has no word for the last one. */
const LEFT_OUT = matchAny('zeit platz raum geld prozent');

/** `about`: the keys of each word that it speaks of; none of 'danach', because it may speak of anything. */
type Direction = Readonly<{ word: Word; axis: Axis; pole: number; clause: readonly Word[]; about: string[][] }>;
type Sentences = readonly ReadSentence[];

/** Words of a post's sentence whose opposite the sources say of the same, and not these, nor right behind. */
export function findTurned(sentence: ReadSentence, sources: Sentences, behind: Sentences): Direction[] {
  const said = findDirections(sentence);
  if (said.length === 0) return [];
  const there = sources.flatMap(findDirections);
  const around = [...there, ...behind.flatMap(findDirections)];
  const unsaid = said.filter((one) => !around.some((other) => isSame(one, other)));
  // 'Vor dem Umbau war er höher' tells the same as 'nach dem Umbau ist er gesunken'.
  const isOtherSide = ({ axis, clause }: Direction): boolean =>
    axis.of === 'time' && unsaid.some((one) => one.axis.of === 'clause' && one.clause === clause);
  return unsaid.filter((one) => !isOtherSide(one) && there.some((other) => isOpposite(one, other)));
}

const hasWord = (words: readonly Word[], pattern: RegExp): boolean => words.some(({ folded }) => pattern.test(folded));

const countShared = (one: Direction, other: Direction): number =>
  one.about.filter((keys) => other.about.flat().some((key) => keys.includes(key))).length;

const isSame = (one: Direction, other: Direction): boolean =>
  one.axis === other.axis &&
  one.pole === other.pole &&
  (other.about.length === 0 || hasWord(other.clause, /^(?:er|sie|es)$/) || countShared(one, other) > 0);

/** 'Früher mehr' is no opposite of 'weniger', nor is 'in Halle 1 mehr' of 'in Halle 2 weniger'. */
function isOpposite(one: Direction, other: Direction): boolean {
  const shared = countShared(one, other);
  const isAlike = hasWord(one.clause, EARLIER) === hasWord(other.clause, EARLIER) && 3 * shared > 2 * one.about.length;
  if (one.axis !== other.axis || (one.axis.of === 'clause' && !isAlike)) return false;
  return 2 * shared > Math.min(one.about.length, other.about.length);
}

/** Not of a negated clause ('nicht mehr'), nor of one that says both directions of itself. */
function findDirections({ text, start }: ReadSentence): Direction[] {
  const plain = text.replaceAll(PHRASES, (said) => ' '.repeat(said.length));
  return splitClauses(plain, start).flatMap((clause) => {
    if (hasWord(clause, NEGATOR) || hasWord(clause, INVERTING)) return [];
    return AXES.flatMap((axis) => {
      const found = clause.flatMap((word, at): Direction[] => {
        // 'Mehr als 5' is no 'mehr'.
        const phrase = word.text.toLowerCase() + (clause[at + 1]?.folded === 'als' ? 'als' : '');
        const pole = axis.poles.findIndex((pattern) => pattern.test(phrase));
        const about = pole < 0 ? [] : listAbout(axis, clause, at);
        return pole < 0 || (axis.of === 'number' && about.length === 0) ? [] : [{ word, axis, pole, clause, about }];
      });
      const isBoth = axis.of === 'clause' && found.some(({ pole }) => pole !== found[0]?.pole);
      const definite = found.filter(({ about }) => about.length > 0);
      return isBoth ? [] : definite.length > 0 ? definite : found;
    });
  });
}

/** The keys of what a direction speaks of; none where that is not said. */
function listAbout({ of }: Axis, clause: readonly Word[], at: number): string[][] {
  if (of === 'clause') return listSpoken(clause.toSpliced(at, 1)).map(listWordKeys);
  const behind = clause.slice(at + 1).filter(({ folded }) => folded !== 'als');
  const spoken = listSpoken(behind);
  const said = clause[at]?.folded ?? '';
  // 'Bevor wir die Pumpe einbauen' speaks of the building in.
  if (/^(?:bevor|nachdem)$/.test(said)) return spoken.slice(-1).map(listWordKeys);
  // 'Vor zwei Jahren' and 'mindestens zwei Jahre' speak of what stands up to the noun.
  const noun = spoken.findIndex(({ text }) => /^(?:\p{Lu}|\d{4}$)/u.test(text));
  const phrase = spoken.slice(0, Math.max(noun, 0) + 1).map(listWordKeys);
  if (of === 'number') return spoken[0] === behind[0] && /^\d/.test(phrase[0]?.[0] ?? '') ? phrase : [];
  return said === 'vor' || said === 'nach' ? phrase : [];
}

const listSpoken = (words: readonly Word[]): Word[] =>
  words.filter((word) => /\d/.test(word.text) || !(isEmptyWord(word) || LEFT_OUT.test(word.folded)));

const listWordKeys = ({ folded, stem }: Word): string[] => listKeys(String(parseNumeral(folded) ?? stem));
