/** Lower case, without umlauts and accents: 'Überprüfung', 'UEBERPRUEFUNG' and 'uberprufung' are one. */
export function fold(text: string): string {
  return foldLetters(text).replaceAll(/(?<![aeiouq])([aou])e/g, '$1');
}

/** Lower case without marks; 'ä' is 'a', 'ß' is 'ss'. */
function foldLetters(text: string): string {
  const lower = text.toLowerCase();
  return isPlain(lower) ? lower : lower.replaceAll('ß', 'ss').normalize('NFD').replaceAll(/\p{M}/gu, '');
}

/** The same with each letter in its place: 'ß' is 's'. */
export function foldInPlace(text: string): string {
  const lower = text.toLowerCase();
  if (isPlain(lower) || lower.length !== text.length) return lower;
  return lower.replaceAll(/[^\0-\x7f]/g, (letter) => foldLetters(letter)[0] ?? letter);
}

const isPlain = (text: string): boolean => !/[^\0-\x7f]/.test(text);

const SEPARABLE = 'ab|an|auf|aus|bei|durch|ein|fest|her|hin|los|mit|nach|um|vor|weg|weiter|zu|zuruck|zusammen';
const PARTICIPLE = new RegExp(`^(${SEPARABLE}|)ge(?=.{4})`);
const INFINITIVE = new RegExp(`^(${SEPARABLE})zu(?=.{5,})`);
const DERIVED = /(?<=.{4})(?:ung|igkeit|heit|keit|lich|isch|ig)(?:s|en|e|er|es|em|t|te|ten|ter|tes|tem)?$/;
const INFLECTED = /(?:(?<=.{4})(?:nd|em|er)|(?<=.{3})[estn])$/;

/**
 * The stem of a folded German word: 'eingebauten', 'einzubauen' and 'Einbau' are 'einbau'. Strong rather than exact,
 * like CISTEM (Weißweiler, Fraser 2017): both sides of a comparison go through it (decision 0238).
 */
export function stemWord(folded: string): string {
  let stem = folded.replace(PARTICIPLE, '$1').replace(INFINITIVE, '$1').replace(DERIVED, '');
  for (let before = ''; before !== stem;) {
    before = stem;
    stem = stem.replace(INFLECTED, '');
  }
  return STRONG.get(stem) ?? stem;
}

/** Forms of strong verbs that share no stem with their infinitive. */
// prettier-ignore
const STRONG: ReadonlyMap<string, string> = new Map(Object.entries({
  lief: 'lauf', ging: 'geh', gang: 'geh', geht: 'geh', fand: 'find', fund: 'find', stand: 'steh', steht: 'steh',
  hielt: 'halt', bracht: 'bring', dacht: 'denk', fiel: 'fall', gab: 'geb', gibt: 'geb', gewann: 'gewinn', wann:
  'gewinn', wonn: 'gewinn', nahm: 'nehm', nimm: 'nehm', nomm: 'nehm', sah: 'seh', sieh: 'seh', sprach: 'sprech',
  sprich: 'sprech', sproch: 'sprech', stieg: 'steig', zog: 'zieh', zogg: 'zieh', schrieb: 'schreib', blieb: 'bleib',
  brach: 'brech', brich: 'brech', broch: 'brech', traf: 'treff', triff: 'treff', troff: 'treff', began: 'beginn',
  begann: 'beginn', begonn: 'beginn', wuchs: 'wachs', schlief: 'schlaf', trug: 'trag', fuhr: 'fahr', las: 'les',
  lies: 'les', half: 'helf', hilf: 'helf', holf: 'helf', kam: 'komm', kauft: 'kauf', lernt: 'lern', schnitt:
  'schneid', sank: 'sink', sunk: 'sink', verlor: 'verlier', wusst: 'wiss', weiss: 'wiss',
}));
