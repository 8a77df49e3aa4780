import { KNOWN_NAMES } from './known-names.ts';
import { findUnit } from './units.ts';
import { isEmptyWord, matchAny, splitWords, type Word } from './words.ts';

/** A word of a sentence that names somebody, a place, a company, a norm or a product. */
export type NamedWord = Word;

const TITLE = /^(?:herr|herrn|frau|dr|prof|professor|professorin|firma|familie|namens|ing|kollege|kollegen|kollegin)$/;
const COMPANY = /^(?:gmbh|ag|kg|kgaa|se|ohg|ug|ev|inc|ltd|gbr|mbh)$/;
const PLACE = /(?:burg|stadt|hausen|heim|dorf|furt|ingen|kirchen|munster|brucken|walde|hafen)$/;
const TOWARDS = /^(?:in|aus|nach|bei|von|mit|fur|durch|an|uber|gegen)$/;
/** Capitals that are no name by themselves. */
const COMMON = /^(?:KI|IT|QR|PDF|CAD|CNC|SPS|LED|USB|PC|TV|OK|TÜV|FAQ|HR|PR|B2B|LKW|PKW|UV|DNA|CEO|CO2|3D|2D)$/;
const BEFORE_NOUN = matchAny(`
  ende anfang mitte uhr prozent art sorte menge zahl thema stichwort woche monat jahr kw teil punkt schritt phase
  stufe seite bild
`);

const isCapital = ({ text }: Word): boolean => /^\p{Lu}/u.test(text);
const isCode = ({ text }: Word): boolean =>
  /\p{L}/u.test(text) && /\d/.test(text) && !/^\d+(?:er|ern|ste|sten|ter|te|ten|jährig\p{L}*|fach\p{L}*)$/u.test(text);
const isAcronym = ({ text }: Word): boolean =>
  (/^\p{Lu}[\p{Lu}\d]+s?$/u.test(text) || /^\p{L}\p{Ll}+\p{Lu}/u.test(text)) && !COMMON.test(text);

/** What is known of the sources: folded words, and whether a word stands for a common one there. */
export type KnownWords = Readonly<{ has: (folded: string) => boolean; resembles: (word: Word) => boolean }>;

export const hasName = ({ folded }: Pick<Word, 'folded'>, known: KnownWords): boolean =>
  known.has(folded) || (folded.endsWith('s') && known.has(folded.slice(0, -1))) || known.has(`${folded}s`);

/**
 * The names of a sentence. German writes every noun with a capital, so a word counts as a name for what it is (a known
 * name, an acronym, a code), for what stands beside it (a title, a legal form, a first name, another noun without an
 * article), or because it is a place after a preposition.
 */
export function findNames(sentence: string, offset: number, known: KnownWords): NamedWord[] {
  const words = splitWords(sentence, offset);
  const named = new Set<Word>();
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    const touches = (one: Word | undefined, other: Word | undefined): boolean =>
      one !== undefined &&
      other !== undefined &&
      /^[ \u00a0.-]*$/.test(sentence.slice(one.end - offset, other.start - offset));
    if (
      isNamed(
        word,
        touches(before, word) ? before : undefined,
        touches(word, words[at + 1]) ? words[at + 1] : undefined,
        named,
        known,
      )
    )
      named.add(word);
  }
  return [...named];
}

function isNamed(
  word: Word,
  before: Word | undefined,
  after: Word | undefined,
  named: ReadonlySet<Word>,
  known: KnownWords,
): boolean {
  if (COMMON.test(word.text) || /^\d+$/.test(word.text)) return false;
  if (findUnit(word.text) !== undefined && (before === undefined || /\d$/.test(before.text) || word.text.length < 3))
    return false;
  if (isCode(word) || isAcronym(word)) return word.text.length > 1 && !COMPANY.test(word.folded);
  if (!isCapital(word) || isEmptyWord(word) || TITLE.test(word.folded) || COMPANY.test(word.folded)) return false;
  if (KNOWN_NAMES.has(word.folded) || KNOWN_NAMES.has(word.folded.replace(/s$/, ''))) return true;
  if (after !== undefined && COMPANY.test(after.folded)) return true;
  if (before === undefined) return false;
  if (TITLE.test(before.folded)) return isCapital(word);
  if (TOWARDS.test(before.folded) && PLACE.test(word.folded)) return true;
  // A surname stands behind a first name.
  if (named.has(before) && KNOWN_NAMES.has(before.folded)) return !known.resembles(word);
  const bare =
    isCapital(before) &&
    !isEmptyWord(before) &&
    !BEFORE_NOUN.test(before.folded) &&
    findUnit(before.text) === undefined;
  return bare && /^\p{Lu}\p{Ll}+$/u.test(before.text) && !known.resembles(word) && !known.resembles(before);
}
