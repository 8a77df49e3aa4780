import { LITERAL, parseLiteral, parseNumeral } from './numerals.ts';
import { fold, matchAny, splitWords, type Span, type Word } from './words.ts';
import { readUnit, findUnit, type Unit } from './units.ts';

/** A number with its unit, by value: 'anderthalb Stunden' is 5400 of the kind `time`. */
export type Quantity = Span &
  Readonly<{
    /** As it is said. */
    plain: number;
    unit: Unit | undefined;
    /** Where the unit stands, if it is said there. */
    unitSpan: Span | undefined;
  }>;

export const valueIn = ({ plain, unit }: Pick<Quantity, 'plain' | 'unit'>): number => plain * (unit?.factor ?? 1);

// prettier-ignore
const ORDINAL: ReadonlyMap<string, number> = new Map(Object.entries({
  zweit: 2, dritt: 3, viert: 4, funft: 5, sechst: 6, siebt: 7, acht: 8, neunt: 9, zehnt: 10, elft: 11, zwolft: 12,
}));
// prettier-ignore
const SCALES: ReadonlyMap<string, number> = new Map(Object.entries({
  hundert: 100, tausend: 1000, tsd: 1000, million: 1e6, millionen: 1e6, mio: 1e6, milliarde: 1e9, milliarden: 1e9,
  mrd: 1e9, dutzend: 12,
}));
// prettier-ignore
const PARTS: ReadonlyMap<string, number> = new Map(Object.entries({
  halfte: 50, drittel: 100 / 3, viertel: 25, funftel: 20, zehntel: 10, hundertstel: 1, halbiert: 50, halbieren: 50,
  halbierte: 50,
}));
const DOUBLED = /^(?:ver)?doppel(?:t|te|ten|ter|tes|n)$/;
const SHARE: Unit = { kind: 'share', factor: 1 };
const TIMES: Unit = { kind: 'times', factor: 1 };

type Found = Span & Readonly<{ plain: number; unit?: Unit }>;

const NUMERAL_WITH_UNIT =
  /^(.+?)(jahrig|stundig|tagig|wochig|monatig|minutig|prozentig|fach|mal)(?:e|en|er|es|em|t|te|ten)?$/;

/** The number that a word says by itself. */
function readNumeral({ folded, start, end }: Word): Found | undefined {
  // 'zu viert'
  const plain = parseNumeral(folded) ?? ORDINAL.get(folded) ?? parseOrdinal(folded);
  if (plain !== undefined) return { start, end, plain };
  const part = PARTS.get(folded);
  if (part !== undefined) return { start, end, plain: part, unit: SHARE };
  if (DOUBLED.test(folded)) return { start, end, plain: 2, unit: TIMES };
  if (folded === 'viertelstunde') return { start, end, plain: 15, unit: { kind: 'time', factor: 60 } };
  const [, numeral = '', name = ''] = NUMERAL_WITH_UNIT.exec(folded.replace(/^ver(?=.+facht?)/, '')) ?? [];
  const many = parseNumeral(numeral);
  const unit = findUnit(name);
  return many === undefined || unit === undefined ? undefined : { start, end, plain: many, unit };
}

const ENDS_ORDINAL = /(?:e|en|er|es|em|ens)$/;

/** Not 'erste', which says no number, nor 'achten' without its ending. */
function parseOrdinal(folded: string): number | undefined {
  if (!ENDS_ORDINAL.test(folded)) return undefined;
  const stem = folded.replace(ENDS_ORDINAL, '');
  return ORDINAL.get(stem) ?? (/.st$/.test(stem) ? parseNumeral(stem.slice(0, -2)) : undefined);
}

const BEFORE_ORDINAL = matchAny(
  'd(?:er|ie|as|em|en|es) am im zum zur vom beim jed\\p{L}* (?:mein|dein|sein|ihr|unser)\\p{L}*',
);

/** 'Wir achten auf …' is no eighth: that has an article before it and a noun behind. */
function isVerb(words: readonly Word[], at: number): boolean {
  const word = words[at];
  if (word?.folded !== 'achte' && word?.folded !== 'achten') return false;
  const [before, after] = [words[at - 1], words[at + 1]];
  const isOrdinal = before !== undefined && BEFORE_ORDINAL.test(before.folded);
  return !isOrdinal || (after !== undefined && !/^(?:\p{Lu}|(?:und|oder|bis)$)/u.test(after.text));
}

const HALF = /^halbe[nrsm]?$/;
const ONE = /^eine?[mnrs]?$/;

/** Whether a unit or a scale follows: 'ein Jahr', 'ein halbes Jahr', 'ein bis zwei Jahre', 'eine halbe Million'. */
function isCounted(after: string): boolean {
  const [, next] = /^(?:\s+(?:bis|oder)\s+[\p{L}\p{N}]+)?\s+(\p{L}+)(?![\p{L}\p{N}])/u.exec(after) ?? [];
  return next !== undefined && (SCALES.has(fold(next)) || findUnit(next) !== undefined);
}

const BETWEEN = /^\s*(?:,|\/|-|–|und|oder|bis|auf|bis zu)\s*(?:zu\s+)?$/;

/** All numbers of a text, without those in `taken`. */
export function findQuantities(text: string, offset = 0, taken: readonly Span[] = []): Quantity[] {
  const free = ({ start, end }: Span): boolean =>
    !taken.some((span) => start < span.end - offset && span.start - offset < end);
  const literals = [...text.matchAll(LITERAL)].map(({ 0: said, index }): Found => ({
    start: index,
    end: index + said.length,
    plain: parseLiteral(said),
  }));
  const words = splitWords(text);
  const said = words.flatMap((word, at) => (isVerb(words, at) ? [] : (readNumeral(word) ?? [])));
  const counted = words.flatMap(({ folded, start, end }): Found[] => {
    const plain = HALF.test(folded) ? 0.5 : ONE.test(folded) ? 1 : undefined;
    return plain === undefined || !isCounted(text.slice(end)) ? [] : [{ start, end, plain }];
  });
  const all = [...literals, ...said, ...counted].filter(free).toSorted((a, b) => a.start - b.start);
  const measured = all.map((found) => measure(text, found));
  return inheritUnits(text, measured)
    .map((quantity) => readSign(text, quantity))
    .map(({ start, end, unitSpan, ...rest }) => ({
      ...rest,
      start: start + offset,
      end: end + offset,
      unitSpan: unitSpan && { start: unitSpan.start + offset, end: unitSpan.end + offset },
    }));
}

const SIGN = /(?:(?<!\p{L})minus\s+|(?<![^\s(„"])[-−–])$/iu;
const BELOW_ZERO = /^\s*(?:minus|unter null)(?!\p{L})/iu;

const findSign = (text: string, start: number): string =>
  SIGN.exec(text.slice(Math.max(0, start - 10), start))?.[0] ?? '';

/** Minus 20 degrees are not 20 degrees. 'Minus 5 Prozent' is a change, which others say in other words. */
function readSign(text: string, quantity: Quantity): Quantity {
  const { start, end, unit, unitSpan, plain } = quantity;
  const sign = findSign(text, start);
  const signed = unit === undefined ? sign.length > 1 : unit.kind === 'temperature';
  if (!signed) return quantity;
  if (sign !== '') return { ...quantity, start: start - sign.length, plain: -plain };
  return BELOW_ZERO.test(text.slice(unitSpan?.end ?? end)) ? { ...quantity, plain: -plain } : quantity;
}

/** Takes in what follows: a scale, as in '3,5 Mio.', and a unit. */
function measure(text: string, found: Found): Quantity {
  let { end, plain } = found;
  let part: Unit | undefined = found.unit;
  for (;;) {
    const [whole, word = ''] = /^\s*([\p{L}]+)\.?/u.exec(text.slice(end)) ?? [];
    const scale = whole === undefined ? undefined : SCALES.get(fold(word));
    const share = whole === undefined ? undefined : PARTS.get(fold(word));
    if (whole !== undefined && share !== undefined && part === undefined && found.plain < 10) {
      part = SHARE;
      plain *= share;
      end += whole.length;
    } else if (whole !== undefined && scale !== undefined && part === undefined) {
      plain *= scale;
      end += whole.length - (whole.endsWith('.') && fold(word).length > 3 ? 1 : 0);
    } else break;
  }
  const next = part === undefined ? readUnit(text.slice(end)) : undefined;
  if (next === undefined) return { start: found.start, end, plain, unit: part, unitSpan: undefined };
  const unitSpan = { start: end + next.lead, end: end + next.length };
  return { start: found.start, end, plain, unit: next.unit, unitSpan };
}

/** 'von drei auf fünf Sekunden': the first number is in seconds, too. */
function inheritUnits(text: string, found: readonly Quantity[]): Quantity[] {
  const inherited = [...found];
  for (let at = inherited.length - 2; at >= 0; at -= 1) {
    const [here, next] = [inherited[at], inherited[at + 1]];
    if (here === undefined || next?.unit === undefined || here.unit !== undefined) continue;
    const nextStart = next.start - findSign(text, next.start).length;
    if (BETWEEN.test(text.slice(here.end, nextStart))) inherited[at] = { ...here, unit: next.unit };
  }
  return inherited;
}
