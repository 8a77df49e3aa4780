import { foldInPlace, listWords, type Span } from './words.ts';

/** A date as far as it is said. `clock`: minutes after midnight. `plain`: the number that it is if it is no date. */
export type SaidDate = Span &
  Readonly<{
    day?: number;
    month?: number;
    year?: number;
    weekday?: number;
    season?: number;
    clock?: number;
    plain?: number;
  }>;

// prettier-ignore
const MONTHS = [
  'januar|janner|jan', 'februar|feb', 'marz', 'april|apr', 'mai', 'juni', 'juli', 'august|aug', 'september|sept|sep',
  'oktober|okt', 'november|nov', 'dezember|dez',
];
const WEEKDAYS = ['montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag|sonnabend', 'sonntag'];
const SEASONS = ['fruhjahr|fruhling', 'sommer', 'herbst', 'winter'];

const ONES = listWords('ein zwei drei vier funf sechs sieben acht neun');
/** By hour, and the minutes that are said behind it; 'ß' is 's' here. */
const HOURS = listWords(`
  null ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn
  achtzehn neunzehn zwanzig einundzwanzig zweiundzwanzig dreiundzwanzig vierundzwanzig
`);
const MINUTES = listWords(`
  null funf zehn funfzehn zwanzig funfundzwanzig dreisig funfunddreisig vierzig funfundvierzig funfzig funfundfunfzig
`);
/** By day of the month, from 1; an ending follows. */
const DAYS = listWords(`
  erst zweit dritt viert funft sechst siebt|siebent acht neunt zehnt elft zwolft dreizehnt vierzehnt funfzehnt
  sechzehnt siebzehnt achtzehnt neunzehnt zwanzigst ${ONES.map((one) => `${one}undzwanzigst`).join(' ')} dreisigst
  einunddreisigst
`);

const alternatives = (names: readonly string[]): string => names.join('|');
const MONTH = alternatives(MONTHS);

/** A year behind a date: not '1500 Teile', nor '2000 Teile'. */
const NO_YEAR = String.raw`(?!\d|[.,]\d|\s*(?:\u20ac|euro|stuck|teile|meter|liter|kilo|mal|u\/min|umdrehungen))`;
const YEAR_BEHIND = String.raw`(?:1[89]|20)\d\d${NO_YEAR}`;

/** In folded text, which is as long as the text itself. Two digits behind a blank are no year: '10.11. 18 Uhr'. */
const NUMERIC = new RegExp(
  String.raw`(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?:(\d{4}|\d{2})(?!\d)|\s(${YEAR_BEHIND}))?(?!\d)`,
  'g',
);
const ISO = /(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g;
const DAY = `(?:(\\d{1,2})\\.\\s*|(${alternatives(DAYS)})e[nrs]?\\s+)`;
const NAMED = new RegExp(`(?<![\\p{L}\\d])${DAY}?(${MONTH})(?![\\p{L}])\\.?(?:\\s*(${YEAR_BEHIND}))?`, 'gu');
const WEEKDAY = new RegExp(
  `(?<!\\p{L})(${alternatives(WEEKDAYS)})s?(?:abend|morgen|mittag|vormittag|nachmittag|nacht)?(?!\\p{L})`,
  'gu',
);
const SEASON = new RegExp(`(?<!\\p{L})(${alternatives(SEASONS)})s?(?!\\p{L})(?:\\s+(${YEAR_BEHIND}))?`, 'gu');
const YEAR = new RegExp(String.raw`(?<![\d.,])(19[5-9]\d|20\d\d)${NO_YEAR}`, 'g');
const CLOCK = /(?<![\d.,:])([01]?\d|2[0-4])(?:[:.]([0-5]\d))?\s*uhr(?:\s([0-5]\d)(?!\d))?/g;
const SPOKEN_CLOCK = new RegExp(
  `(?<!\\p{L})(${alternatives(HOURS)})\\s+uhr(?:\\s+(${alternatives(MINUTES)}))?(?!\\p{L})`,
  'gu',
);

/** A sentence is read at a time. */
const AT_END = /^["“”«»)]*\s*$/;

/** 'Halb eins' is half past twelve. */
const HALF_HOURS = ['eins', ...HOURS.slice(2, 13)];
const HALF_HOUR = new RegExp(`(?<!\\p{L})halb (${alternatives(HALF_HOURS)})(?!\\p{L})`, 'gu');
const MINUTES_STEP = 5;

/** 'Um neun' is said of nine o'clock, too. */
const readClock = (hour: number, minute: number): Partial<SaidDate> => ({
  clock: hour * 60 + minute,
  ...(minute === 0 ? { plain: hour } : {}),
});

const getPlace = (names: readonly string[], name: string): number =>
  names.findIndex((one) => one.split('|').includes(name)) + 1;

const optional = (key: keyof SaidDate, value: number | undefined): Partial<SaidDate> =>
  value === undefined || Number.isNaN(value) ? {} : { [key]: value };

const toYear = (said: string | undefined): number | undefined =>
  said === undefined ? undefined : Number(said.length === 2 ? `20${said}` : said);

/** All dates of a text: '3. Mai', '03.05.', 'im Herbst 2024', 'am Montag', '10:30 Uhr'. */
export function findDates(text: string, offset = 0): SaidDate[] {
  const folded = foldInPlace(text);
  const found: SaidDate[] = [];
  const collect = (pattern: RegExp, read: (match: RegExpExecArray) => Partial<SaidDate> | undefined): void => {
    for (const match of folded.matchAll(pattern)) {
      const span = { start: match.index + offset, end: match.index + match[0].trimEnd().length + offset };
      const parts = read(match);
      if (parts !== undefined && !found.some(({ start, end }) => span.start < end && start < span.end))
        found.push({ ...parts, ...span });
    }
  };
  collect(ISO, ([, year, month, day]) => ({ year: Number(year), month: Number(month), day: Number(day) }));
  collect(NUMERIC, ({ 0: whole, 1: day, 2: month, 3: joined, 4: year = joined, index }) => {
    if (Number(month) > 12 || Number(month) < 1 || Number(day) > 31) return undefined;
    // The dot may be that of the sentence: 'Version 3.5.'
    const ends = AT_END.test(folded.slice(index + whole.length)) && year === undefined;
    const plain = ends ? Number(whole.slice(0, -1)) : undefined;
    return { day: Number(day), month: Number(month), ...optional('year', toYear(year)), ...optional('plain', plain) };
  });
  collect(NAMED, ({ 1: digits, 2: said, 3: month = '', 4: year, index }) => {
    const day = said === undefined ? Number(digits) : getPlace(DAYS, said);
    // 'jan', 'mai' and the like begin with a capital.
    if (Number.isNaN(day) && !/\p{Lu}/u.test(text[index] ?? '')) return undefined;
    return { month: getPlace(MONTHS, month), ...optional('day', day), ...optional('year', toYear(year)) };
  });
  collect(CLOCK, ([, hour, minute, spoken]) => readClock(Number(hour), Number(minute ?? spoken ?? 0)));
  // Most sentences say no time, and a long material has thousands.
  if (folded.includes('uhr'))
    collect(SPOKEN_CLOCK, ([, hour = '', minute = 'null']) =>
      readClock(HOURS.indexOf(hour), MINUTES.indexOf(minute) * MINUTES_STEP),
    );
  if (folded.includes('halb ')) collect(HALF_HOUR, ([, hour = '']) => readClock(HALF_HOURS.indexOf(hour) || 12, 30));
  collect(WEEKDAY, ([, name = '']) => ({ weekday: getPlace(WEEKDAYS, name) }));
  collect(SEASON, ([, name = '', year]) => ({ season: getPlace(SEASONS, name), ...optional('year', toYear(year)) }));
  collect(YEAR, ([, year]) => ({ year: Number(year), plain: Number(year) }));
  return found.toSorted((a, b) => a.start - b.start);
}

const PARTS = ['day', 'month', 'weekday', 'season', 'clock'] as const;

/** The date of the sources that says the whole one; its year may stand elsewhere in them. */
export function hasDate(said: SaidDate, sources: readonly SaidDate[]): SaidDate | undefined {
  const { year } = said;
  const fitting = sources.filter((source) =>
    PARTS.every((part) => said[part] === undefined || said[part] === source[part]),
  );
  if (year === undefined) return fitting[0];
  const whole = fitting.find((source) => source.year === year);
  const isYearAlone = PARTS.every((part) => said[part] === undefined);
  if (whole !== undefined || isYearAlone || !sources.some((source) => source.year === year)) return whole;
  return fitting.find((source) => source.year === undefined);
}
