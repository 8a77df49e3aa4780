import { hasDate } from './dates.ts';
import { findTurned } from './directions.ts';
import { isNear, isShort, type Match, type Matcher } from './match.ts';
import { findNames, hasName, KNOWN_NAMES, type KnownWords } from './names.ts';
import { valueIn, type Quantity } from './numbers.ts';
import {
  findCounted,
  findWords,
  getValues,
  isMeasured,
  listContent,
  listReadings,
  readAsNumbers,
  type Place,
  type ReadSentence,
  type SourceIndex,
  type SourceSentence,
} from './sources.ts';
import { isEmptyWord, listKeys, matchAny, NEGATOR, splitClauses, splitWords, type Span, type Word } from './words.ts';

export type FactKind = 'number' | 'unit' | 'date' | 'quotation' | 'name' | 'negation' | 'direction';

/** Something a sentence claims to the letter. `place`: where the sources have it; undefined: they do not. */
export type Fact = Span & Readonly<{ kind: FactKind; text: string; place: Place | undefined }>;

export type Look = Readonly<{
  index: SourceIndex;
  matcher: Matcher;
  sentence: ReadSentence;
  /** What of the sentence stands between quotation marks. */
  quotations: readonly Span[];
  match: Match;
}>;

/** Every fact of a sentence, in its order. */
export function findFacts(look: Look): Fact[] {
  const facts = [
    ...checkQuantities(look),
    ...checkDates(look),
    ...checkQuotations(look),
    ...checkNames(look),
    ...checkNegation(look),
    ...checkDirections(look),
  ];
  return facts.toSorted((a, b) => a.start - b.start);
}

const toPlace = ({ source }: SourceSentence, { start, end }: Span): Place => ({ source, start, end });

const sliceSentence = (sentence: ReadSentence, { start, end }: Span): string =>
  sentence.text.slice(start - sentence.start, end - sentence.start);

function toFact({ sentence }: Look, kind: FactKind, { start, end }: Span, place: Place | undefined): Fact {
  return { kind, start, end, text: sliceSentence(sentence, { start, end }), place };
}

/**
 * Whether a sentence of the sources may speak of the same: it is near the place on which the sentence rests, shares a
 * word with it, or is an answer of its own.
 */
function createNearness({ index, matcher, sentence, match }: Look): (place: number) => boolean {
  const content = listContent(sentence);
  return (place) => {
    const there = index.sentences[place];
    if (there === undefined) return false;
    if (isShort(there) || match.sentences.some((chosen) => isNear(index, chosen, place))) return true;
    return [place - 1, place, place + 1].some(
      (beside) => index.sentences[beside]?.of === there.of && content.some((word) => matcher.has(word, beside)),
    );
  };
}

/** 'Eines Tages' counts nothing: an article is a number only where the sources have one. */
const ARTICLE_ONE = /^eine?[mnrs]?$/i;

function checkQuantities(look: Look): Fact[] {
  const { sentence } = look;
  const near = createNearness(look);
  return sentence.quantities
    .filter(({ plain, unit }) => plain !== 1 || unit !== undefined)
    .map((said) => checkQuantity(look, said, near))
    .filter((facts) => facts.every(({ place }) => place !== undefined) || !ARTICLE_ONE.test(facts[0]?.text ?? ''))
    .flat();
}

function checkQuantity(look: Look, said: Quantity, near: (place: number) => boolean): Fact[] {
  const { index } = look;
  const places = [...new Set(getValues(said).flatMap((value) => index.byValue.get(value) ?? []))].filter(near);
  const found = places.flatMap((place) => {
    const there = index.sentences[place];
    return there === undefined ? [] : listReadings(there).map((quantity) => ({ there, quantity }));
  });
  const plain = found.find(({ quantity }) => sameNumber(quantity, said) && countsTheSame(look, said, quantity));
  const whole = found.find(({ quantity }) => sameQuantity(quantity, said) && countsTheSame(look, said, quantity));
  const hit = whole ?? plain;
  const number = toFact(look, 'number', said, hit && toPlace(hit.there, hit.quantity));
  if (said.unitSpan === undefined) {
    // 'zweifach' says its unit itself.
    const missing = said.unit !== undefined && whole === undefined && hit?.quantity.unit !== undefined;
    return [missing ? { ...number, place: undefined } : number];
  }
  return [number, toFact(look, 'unit', said.unitSpan, whole && toPlace(whole.there, whole.quantity))];
}

const close = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-6 * Math.max(Math.abs(one), Math.abs(other));

const sameNumber = (one: Quantity, other: Quantity): boolean =>
  close(one.plain, other.plain) || sameQuantity(one, other);

function sameQuantity(source: Quantity, said: Quantity): boolean {
  if (said.unit === undefined) return close(source.plain, said.plain);
  return source.unit?.kind === said.unit.kind && close(valueIn(source), valueIn(said));
}

/** 'drei Pumpen und zwölf Ventile' are not twelve pumps: what a number counts in the sources it counts in the post. */
function countsTheSame({ index, sentence }: Look, said: Quantity, found: Quantity): boolean {
  const noun = findCounted(sentence.words, said);
  const counts = noun === undefined ? undefined : index.counted.get(noun.stem);
  return counts === undefined || counts.some((plain) => close(plain, said.plain)) || found.unit !== undefined;
}

function checkDates(look: Look): Fact[] {
  const { index, sentence } = look;
  if (sentence.dates.length === 0) return [];
  const near = createNearness(look);
  const sources = index.dated.filter(near).flatMap((place) => index.sentences[place] ?? []);
  const dates = sources.flatMap((source) => source.dates);
  return sentence.dates.map((said) => {
    const found = hasDate(said, dates);
    const [number] = found === undefined ? readAsNumbers([said]) : [];
    const [counted] = number === undefined ? [] : checkQuantity(look, number, near);
    const isProven = counted?.place !== undefined && (said.clock === undefined || isHour(index, counted.place));
    if (isProven) return counted;
    const there = sources.find((source) => found !== undefined && source.dates.includes(found));
    return toFact(look, 'date', said, found && there && toPlace(there, found));
  });
}

/** Nine pumps do not prove nine o'clock, 'um neun' does, 'um neun Prozent' does not. */
function isHour({ sentences }: SourceIndex, { source, start, end }: Place): boolean {
  const there = sentences.find((one) => one.source === source && one.start <= start && end <= one.end);
  const [before, behind] = [there?.text.slice(0, start - there.start), there?.text.slice(end - there.start)];
  return /(?<!\p{L})um\s+$/iu.test(before ?? '') && !/^\s*[\p{Lu}%°‰]/u.test(behind ?? '');
}

function checkQuotations(look: Look): Fact[] {
  const { index, sentence, quotations } = look;
  return quotations.map((span) => toFact(look, 'quotation', span, findWords(index, sliceSentence(sentence, span))));
}

function checkNames(look: Look): Fact[] {
  const { index, matcher, sentence } = look;
  const known: KnownWords = {
    has: (folded) => index.places.has(folded),
    resembles: matcher.isSaid,
  };
  const named = findNames(sentence.text, sentence.start, known);
  const replaced = listReplaced(look).filter((word) => !named.some(({ start }) => start === word.start));
  return [...named, ...replaced]
    .filter((word) => !isMeasured(sentence, word))
    .map((word) => toFact(look, 'name', word, hasName(word, known) ? findName(look, word) : undefined));
}

/** 'Webers' is 'Weber'. */
const findName = ({ index }: Look, { folded }: Word): Place | undefined =>
  [folded, folded.replace(/s$/, ''), `${folded}s`].flatMap((name) => findWords(index, name) ?? []).find(() => true);

const ARTICLE = matchAny(String.raw`
  d(?:er|ie|as|em|en|es) (?:k|m|s|d)?ein(?:e|em|en|er|es)? unser\p{L}* ihr\p{L}* im am zum zur vom beim ins ans
  (?:dies|jed|welch|manch|viel|all|einig|mehrer)\p{L}*
`);
const DERIVED = /(?:ung|heit|keit|schaft|tion|tat|nis|tum|ment|ismus|ik|ie|ur|anz|enz|ling|chen|ungen|heiten|keiten)$/;

/** A noun without an article that may be a name: 'Thomsen hat …', 'mit Anna'. */
function isBare(words: readonly Word[], at: number): boolean {
  const [word, before] = [words[at], words[at - 1]];
  if (word === undefined || !/^\p{Lu}\p{Ll}+$/u.test(word.text) || isEmptyWord(word) || DERIVED.test(word.folded))
    return false;
  const adjective = before !== undefined && /^\p{Ll}.*(?:e|en|er|es|em)$/u.test(before.text) && !isEmptyWord(before);
  return before === undefined || !(ARTICLE.test(before.folded) || adjective);
}

/** Nouns that the sources do not have, where the sentence they rest on has a name that the post leaves out. */
function listReplaced(look: Look): Word[] {
  const { matcher, sentence } = look;
  const { words } = sentence;
  const source = listMatched(look)[0]?.words ?? [];
  const left = listLeftNames(look, source);
  if (left.length === 0) return [];
  const content = listContent(sentence);
  const unknown = content.filter((word) => !matcher.isSaid(word));
  return words.filter((word, at) => {
    if (!unknown.includes(word) || !/^\p{Lu}\p{Ll}+$/u.test(word.text) || DERIVED.test(word.folded)) return false;
    if (standsAlike(words, at, source, left) && isBare(words, at)) return true;
    // A capital at the beginning says nothing; and but for the names everything has to be said there.
    const others = content.length - unknown.length;
    return at > 0 && others > 0 && unknown.every((one) => one === word);
  });
}

/** Names and bare nouns of the source's sentence of which the post has nothing. */
function listLeftNames({ matcher, sentence, match }: Look, source: readonly Word[]): Word[] {
  const said = new Set(sentence.words.map(({ stem }) => stem));
  const [place = -1] = match.sentences;
  const resembled = listContent(sentence).filter((word) => matcher.has(word, place));
  return source.filter((word, at) => {
    const taken = said.has(word.stem) || resembled.some((one) => sameMeaning(one, word) || sameGroup(one, word));
    return !taken && (isBare(source, at) || KNOWN_NAMES.has(word.folded));
  });
}

const sameGroup = (one: Word, other: Word): boolean => {
  const groups = new Set(listKeys(one.stem));
  return listKeys(other.stem).some((key) => groups.has(key));
};

/** Whether the source has one of these words between the same neighbours. */
function standsAlike(words: readonly Word[], at: number, source: readonly Word[], left: readonly Word[]): boolean {
  const [before, after] = [words[at - 1]?.folded, words[at + 1]?.folded];
  return source.some(
    (other, place) =>
      left.includes(other) && source[place - 1]?.folded === before && source[place + 1]?.folded === after,
  );
}

/** Words that negate without a negator. */
const NEGATING = matchAny(String.raw`
  kaum selten statt anstatt weg null wenig\p{L}* fehl(?:t|te|ten|en|end\p{L}*) verhind\p{L}* verm(?:ei|ie)d\p{L}*
  verzicht\p{L}* entf(?:a|ie)l\p{L}* erspar\p{L}* stopp\p{L}* \p{L}+(?:los|frei)(?:e|en|er|es)? un\p{L}{4,}
`);
/** Figures of speech that negate nothing. */
const FIGURES = `nicht nur|nicht zuletzt|nicht umsonst|nicht selten|nichts anderes als|ohne weiteres|warum nicht|
gar nicht so|kein problem|kein wunder|nicht ohne stolz`.replaceAll('\n', '');
const ONLY = new RegExp(String.raw`\b(?:${FIGURES})\b`, 'giu');
const SHARED_OF_NEGATED = 0.6;

const hasNegation = (words: readonly Word[]): boolean =>
  words.some(({ folded }) => NEGATOR.test(folded) || NEGATING.test(folded));
const withoutFigures = (text: string): string => text.replaceAll(ONLY, (said) => ' '.repeat(said.length));

type NegatedClause = Readonly<{ negator: Word; words: readonly Word[] }>;

/** The clauses of a text that negate something, with their words of content. */
const listNegatedClauses = ({ text, start }: Pick<ReadSentence, 'text' | 'start'>): NegatedClause[] =>
  splitClauses(withoutFigures(text), start).flatMap((words) => {
    const negator = words.find(({ folded }) => NEGATOR.test(folded));
    return negator === undefined ? [] : [{ negator, words: words.filter((word) => !isEmptyWord(word)) }];
  });

/** A negation that the sources do not make, and one of theirs that the post leaves out. */
function checkNegation(look: Look): Fact[] {
  const { matcher, sentence, match } = look;
  const there = listMatched(look);
  const negated = listNegatedClauses(sentence);
  if (negated.length > 0 && there.length > 0) {
    const source = there.find(({ words }) => hasNegation(words));
    return negated.map(({ negator }) => toFact(look, 'negation', negator, source && toPlace(source, source)));
  }
  if (hasNegation(splitWords(withoutFigures(sentence.text)))) return [];
  const content = listContent(sentence);
  const [first] = content;
  const [place = -1] = match.sentences;
  const inverted = there
    .slice(0, 1)
    .flatMap(listNegatedClauses)
    .some(({ words }) => {
      const shared = words.filter((word) =>
        content.some((one) => one.stem === word.stem || (matcher.has(one, place) && sameMeaning(one, word))),
      );
      return words.length > 0 && shared.length >= SHARED_OF_NEGATED * words.length;
    });
  return inverted && first !== undefined ? [toFact(look, 'negation', first, undefined)] : [];
}

/** A direction that the sources turn round: '5 % mehr' where they say '5 % weniger'. */
const checkDirections = (look: Look): Fact[] =>
  findTurned(look.sentence, listMatched(look), listMatched(look, 1)).map(({ word }) =>
    toFact(look, 'direction', word, undefined),
  );

/** The sentences of the sources on which a sentence rests, or those that stand so many places behind them. */
const listMatched = ({ index, match }: Look, behind = 0): SourceSentence[] =>
  match.sentences.flatMap((place) => index.sentences[place + behind] ?? []);

const sameMeaning = (one: Word, other: Word): boolean =>
  one.stem.startsWith(other.stem) || other.stem.startsWith(one.stem);
