import { findDates, type SaidDate } from './dates.ts';
import { findQuantities, valueIn, type Quantity } from './numbers.ts';
import { isEmptyWord, listKeys, splitSentences, splitWords, type Span, type Word } from './words.ts';

/** What a post may rest on. `id` is the caller's: which turn, answer or file it is. */
export type Source = Readonly<{ id: string; text: string }>;

export type Place = Span & Readonly<{ source: string }>;

/** A sentence of the sources. Its neighbours in the same source have the numbers beside it. */
export type SourceSentence = Place &
  ReadSentence &
  Readonly<{
    /** What it says, by stem and by meaning. */
    keys: ReadonlySet<string>;
    /** Which source it is of, and how many sentences that one has. */
    of: number;
    length: number;
  }>;

export type SourceIndex = Readonly<{
  sentences: readonly SourceSentence[];
  /** Numbers of the sentences that have a key. */
  byKey: ReadonlyMap<string, readonly number[]>;
  /** The keys that begin or end with these four letters, for compounds. */
  byEdge: ReadonlyMap<string, readonly string[]>;
  /** Numbers of the sentences that have a quantity of this value, whatever its unit. */
  byValue: ReadonlyMap<number, readonly number[]>;
  /** Numbers of the sentences that say a date. */
  dated: readonly number[];
  /** By stem, the numbers that stand before a noun: of 'zwölf Ventile' 12. */
  counted: ReadonlyMap<string, readonly number[]>;
  /** All words in order, each with its sentence, and where in them a folded word stands. */
  words: readonly Readonly<{ word: Word; place: number }>[];
  places: ReadonlyMap<string, readonly number[]>;
}>;

export type ReadSentence = Readonly<{
  text: string;
  start: number;
  words: readonly Word[];
  dates: readonly SaidDate[];
  quantities: readonly Quantity[];
}>;

export function readSentence(text: string, start: number): ReadSentence {
  const dates = findDates(text, start);
  const words = splitWords(text, start);
  return { text, start, words, dates, quantities: findQuantities(text, start, dates) };
}

/** Whether a word is part of a number, a unit or a date. */
export function isMeasured({ dates, quantities }: ReadSentence, { start, end }: Span): boolean {
  const taken = [...dates, ...quantities, ...quantities.flatMap(({ unitSpan }) => unitSpan ?? [])];
  return taken.some((span) => start < span.end && span.start < end);
}

/** Words that say something and are no number or date. */
export const listContent = (sentence: ReadSentence): Word[] =>
  sentence.words.filter((word) => !isEmptyWord(word) && !/^\d+$/.test(word.text) && !isMeasured(sentence, word));

const EDGE = 4;

/** The first and last letters under which a stem is found in a compound. */
export const getEdges = (stem: string): readonly string[] =>
  stem.length < EDGE ? [] : [`${stem.slice(0, EDGE)}-`, `-${stem.slice(-EDGE)}`];

/** Reads the sources once; every sentence is looked up in the index. */
export function indexSources(sources: readonly Source[]): SourceIndex {
  const sentences = sources.flatMap((source, of) =>
    splitSentences(source.text).map((span, _, all) => ({ ...read(source, span), of, length: all.length })),
  );
  const byKey = new Map<string, number[]>();
  const byValue = new Map<number, number[]>();
  const counted = new Map<string, number[]>();
  const add = <K>(map: Map<K, number[]>, key: K, place: number): void => {
    const places = map.get(key);
    if (places === undefined) map.set(key, [place]);
    else if (places.at(-1) !== place) places.push(place);
  };
  for (const [place, sentence] of sentences.entries()) {
    for (const key of sentence.keys) add(byKey, key, place);
    for (const quantity of listReadings(sentence)) for (const value of getValues(quantity)) add(byValue, value, place);
    for (const quantity of sentence.quantities) {
      const noun = findCounted(sentence.words, quantity);
      if (noun !== undefined) add(counted, noun.stem, quantity.plain);
    }
  }
  const byEdge = new Map<string, string[]>();
  for (const key of byKey.keys()) {
    if (key.startsWith('~')) continue;
    for (const edge of getEdges(key)) byEdge.set(edge, [...(byEdge.get(edge) ?? []), key]);
  }
  const words = sentences.flatMap((sentence, place) => sentence.words.map((word) => ({ word, place })));
  const places = new Map<string, number[]>();
  for (const [at, { word }] of words.entries()) add(places, word.folded, at);
  const dated = sentences.flatMap(({ dates }, place) => (dates.length > 0 ? [place] : []));
  return { sentences, byKey, byEdge, byValue, dated, counted, words, places };
}

function read({ id, text }: Source, span: Span): Omit<SourceSentence, 'of' | 'length'> {
  const sentence = readSentence(text.slice(span.start, span.end), span.start);
  const keys = new Set(sentence.words.filter((word) => !isEmptyWord(word)).flatMap(({ stem }) => listKeys(stem)));
  return { ...span, source: id, ...sentence, keys };
}

/** The numbers of dates that may be none: '2000 Mitarbeiter', 'Version 3.5.' */
export const readAsNumbers = (dates: readonly SaidDate[]): Quantity[] =>
  dates.flatMap(({ plain, start, end }) =>
    plain === undefined ? [] : [{ plain, start, end, unit: undefined, unitSpan: undefined }],
  );

/** What a sentence may say in numbers. */
export const listReadings = ({ quantities, dates }: Pick<SourceSentence, 'quantities' | 'dates'>) =>
  dates.length === 0 ? quantities : [...quantities, ...readAsNumbers(dates)];

/** As said and in its smallest unit, rounded, so that 90 minutes are found as one and a half hours. */
export const getValues = (quantity: Pick<Quantity, 'plain' | 'unit'>): number[] =>
  [quantity.plain, valueIn(quantity)].map((value) => Number(value.toPrecision(9)));

/** The noun that a number without a unit counts: right behind it, or behind one more word. */
export function findCounted(words: readonly Word[], { end, unit }: Quantity): Word | undefined {
  if (unit !== undefined) return undefined;
  const first = words.findIndex((word) => word.start >= end);
  const behind = words.slice(first < 0 ? words.length : first, first + 2);
  // Of '20-30 Pumpen' the second number counts.
  if (/^\d+$/.test(behind[0]?.text ?? '')) return undefined;
  return behind.find((word) => word.start - end < 25 && /^\p{Lu}/u.test(word.text) && !isEmptyWord(word));
}

/** The first place that has these words in this order. */
export function findWords({ sentences, words, places }: SourceIndex, text: string): Place | undefined {
  const folded = splitWords(text).map((word) => word.folded);
  const rarest = folded.reduce((best, word, at) => {
    const [one, other] = [places.get(word)?.length ?? 0, places.get(folded[best] ?? '')?.length ?? 0];
    return one < other ? at : best;
  }, 0);
  for (const at of places.get(folded[rarest] ?? '') ?? []) {
    const start = at - rarest;
    const [first, last] = [words[start], words[start + folded.length - 1]];
    if (first === undefined || last === undefined || sentences[first.place]?.of !== sentences[last.place]?.of) continue;
    if (folded.every((word, more) => words[start + more]?.word.folded === word))
      return { source: sentences[first.place]?.source ?? '', start: first.word.start, end: last.word.end };
  }
  return undefined;
}
