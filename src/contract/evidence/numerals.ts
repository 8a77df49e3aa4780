// prettier-ignore
const SMALL: ReadonlyMap<string, number> = new Map(Object.entries({
  null: 0, eins: 1, zwei: 2, zwo: 2, drei: 3, vier: 4, funf: 5, sechs: 6, sieben: 7, acht: 8, neun: 9, zehn: 10,
  elf: 11, zwolf: 12, dreizehn: 13, vierzehn: 14, funfzehn: 15, sechzehn: 16, siebzehn: 17, achtzehn: 18, neunzehn:
  19, zwanzig: 20, dreissig: 30, vierzig: 40, funfzig: 50, sechzig: 60, siebzig: 70, achtzig: 80, neunzig: 90,
  anderthalb: 1.5, anderthalbe: 1.5, eineinhalb: 1.5, einhundert: 100, eintausend: 1000,
}));

/** No numeral below a million is longer. */
const LONGEST = 80;

/** The value of a folded numeral: 'zweihundertfunfzig', 'einundzwanzig', 'zweieinhalb'. */
export function parseNumeral(word: string): number | undefined {
  const known = SMALL.get(word);
  if (known !== undefined || word.length > LONGEST) return known;
  const half = /^(.+)einhalb$/.exec(word)?.[1];
  if (half !== undefined) return add(parseNumeral(half), 0.5);
  for (const [scale, factor] of Object.entries({ tausend: 1000, hundert: 100 })) {
    const at = word.indexOf(scale);
    if (at < 0) continue;
    const [before, after] = [word.slice(0, at), word.slice(at + scale.length).replace(/^und/, '')];
    const many = before === '' || before === 'ein' ? 1 : parseNumeral(before);
    const rest = after === '' ? 0 : after === 'ein' ? 1 : parseNumeral(after);
    return many === undefined ? undefined : add(rest, many * factor);
  }
  const [, one = '', ten = ''] = /^(.+)und(.+zig|dreissig)$/.exec(word) ?? [];
  return ten === '' ? undefined : add(SMALL.get(ten), one === 'ein' ? 1 : (SMALL.get(one) ?? NaN));
}

function add(one: number | undefined, other: number): number | undefined {
  return one === undefined || Number.isNaN(other) ? undefined : one + other;
}

const FRACTIONS: ReadonlyMap<string, number> = new Map(Object.entries({ '¼': 0.25, '½': 0.5, '¾': 0.75 }));
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';
// Escaped: the build keeps such texts as they are, and one letter of two bytes doubles the memory of the server's.
const DIGITS = String.raw`(?:\d{1,3}(?:[.'\u2019  ]\d{3})+(?:,\d+)?|\d+(?:[.,]\d+)?)`;
const PARTS = String.raw`[\u00bc\u00bd\u00be]`;
/** A number in digits, in a whole text. */
export const LITERAL = new RegExp(
  String.raw`(?<![\p{L}\p{N}]|\d[.,])(?:${DIGITS}(?:${PARTS}|\u207b?[${RAISED}]+)?|${PARTS})(?!\p{N})`,
  'gu',
);
const SUFFIX = new RegExp(`^([^¼½¾⁻${RAISED}]*)([¼½¾]?)(⁻?)([${RAISED}]*)$`, 'u');

/** The value of a number in digits: '1.250,5', '3½', '10³'. */
export function parseLiteral(text: string): number {
  const [, digits = '', fraction = '', sign = '', raised = ''] = SUFFIX.exec(text) ?? [];
  const plain = parseDigits(digits) + (FRACTIONS.get(fraction) ?? 0);
  if (raised === '') return plain;
  const exponent = Number(Array.from(raised, (digit) => RAISED.indexOf(digit)).join(''));
  return plain ** (sign === '' ? exponent : -exponent);
}

function parseDigits(text: string): number {
  const grouped = /^[1-9]\d{0,2}(?:[.'’  ]\d{3})+(?:,|$)/.test(text);
  return Number((grouped ? text.replaceAll(/[.'’  ]/g, '') : text).replace(',', '.'));
}
