import { fold } from './words.ts';

/** A unit: what it measures, and how many of the smallest of its kind it is. */
export type Unit = Readonly<{ kind: string; factor: number }>;

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** By kind, spellings without endings and their factor; abbreviations end with a dot here. */
// prettier-ignore
const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  time: {
    'ms. millisekunde': 0.001, 's. sek. sekunde': 1, 'min. minute minütig': 60, 'viertelstunde': 900,
    'h. std. stunde stündig': HOUR, 'tag tägig': DAY, 'woche wöchig': 7 * DAY,
  },
  months: {
    'monat monatig': 1, 'quartal': 3, 'halbjahr': 6, 'jahr jährig': 12, 'jahrzehnt': 120, 'jahrhundert': 1200,
  },
  length: {
    'µm. um. mikrometer': 0.001, 'mm. millimeter': 1, 'cm. zentimeter': 10, 'dm. dezimeter': 100,
    'm. meter': 1000, 'km. kilometer': 1_000_000, 'zoll': 25.4,
  },
  area: {
    'mm². quadratmillimeter': 1, 'cm². quadratzentimeter': 100, 'm². qm. quadratmeter': 1_000_000, 'hektar ha.': 1e10,
  },
  volume: { 'ml. milliliter': 0.001, 'l. liter': 1, 'm³. kubikmeter': 1000 },
  mass: { 'mg. milligramm': 0.001, 'g. gramm': 1, 'kg. kilo kilogramm': 1000, 't. tonne': 1_000_000 },
  share: { '%. prozent prozentig': 1, '‰. promille': 0.1 },
  points: { 'prozentpunkt': 1 },
  temperature: { '°c. °. grad celsius': 1 },
  kelvin: { 'k. kelvin': 1 },
  pressure: { 'mbar. millibar': 0.001, 'bar.': 1, 'pa. pascal': 0.00001, 'kpa.': 0.01, 'mpa.': 10 },
  force: { 'n. newton': 1, 'kn. kilonewton': 1000 },
  torque: { 'nm. newtonmeter': 1 },
  speed: { 'm/s.': 3.6, 'km/h. stundenkilometer': 1 },
  turning: { 'u/min. upm. rpm. 1/min. umdrehung': 1 },
  power: { 'w. watt': 1, 'kw. kilowatt': 1000, 'mw. megawatt': 1_000_000, 'ps.': 735.5 },
  energy: { 'wh. wattstunde': 1, 'kwh. kilowattstunde': 1000, 'mwh. megawattstunde': 1_000_000 },
  voltage: { 'mv. millivolt': 0.001, 'v. volt': 1, 'kv. kilovolt': 1000 },
  current: { 'ma. milliampere': 0.001, 'a. ampere': 1 },
  frequency: { 'hz. hertz': 1, 'khz. kilohertz': 1000, 'mhz. megahertz': 1_000_000, 'ghz. gigahertz': 1e9 },
  sound: { 'db. dezibel': 1 },
  money: { 'ct. cent': 0.01, '€. eur. euro': 1 },
  dollars: { '$. usd. dollar': 1 },
  data: { 'kb. kilobyte': 1, 'mb. megabyte': 1000, 'gb. gigabyte': 1_000_000, 'tb. terabyte': 1e9 },
  times: { 'x. ×. mal fach': 1 },
};

const ENDINGS = /(?:er|e|n|s|m)+$/;

const BY_NAME: ReadonlyMap<string, Unit> = new Map(
  Object.entries(UNITS).flatMap(([kind, spellings]) =>
    Object.entries(spellings).flatMap(([names, factor]) =>
      names.split(' ').map((name): [string, Unit] => {
        const folded = fold(name);
        return [folded.endsWith('.') ? folded.slice(0, -1) : trimEnding(folded), { kind, factor }];
      }),
    ),
  ),
);

function trimEnding(name: string): string {
  return name.length > 3 ? name.replace(ENDINGS, '') : name;
}

/** Only the letter's size tells them from the million times larger 'MW' and 'MPa'. */
const MILLI: ReadonlyMap<string, Unit> = new Map([
  ['mW', { kind: 'power', factor: 0.001 }],
  ['mPa', { kind: 'pressure', factor: 1e-8 }],
]);

/** The unit of that name: 'Sekunden', 's', '°C', 'stündige'. */
export function findUnit(name: string): Unit | undefined {
  const milli = MILLI.get(name.replace(/\.$/, ''));
  if (milli !== undefined) return milli;
  // The micro sign looks like the Greek letter, which some keyboards write.
  const folded = fold(name.replace('\u03bc', '\u00b5')).replace(/\.$/, '');
  return BY_NAME.get(folded) ?? (folded.length > 2 ? BY_NAME.get(trimEnding(folded)) : undefined);
}

const AFTER = /^(\s*[-‑]?\s*)(°\s?C|[1uU]\/min|U\/Min|km\/h|m\/s|[cm]?m[²³]|[%‰€$°×]|[\p{L}µ]+\.?)/u;

/** The unit that begins there, as in '2 s', '24-Stunden-Betrieb', '80 °C'. `length` counts what is before it, too. */
export function readUnit(text: string): Readonly<{ unit: Unit; lead: number; length: number }> | undefined {
  const [whole, lead = '', name = ''] = AFTER.exec(text) ?? [];
  if (whole === undefined || lead.includes('\n')) return undefined;
  const unit = findUnit(name.replaceAll(/\s/g, ''));
  if (unit === undefined) return undefined;
  const dot = name.endsWith('.') && !/^(?:sek|std|min)\.$/i.test(name) ? 1 : 0;
  return { unit, lead: lead.length, length: whole.length - dot };
}
