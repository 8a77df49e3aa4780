/** Lower case, without umlauts and accents: 'Überprüfung', 'UEBERPRUEFUNG' and 'uberprufung' are one. */
export function fold(text: string): string {
  return foldLetters(text).replaceAll(/(?<![aeiouq])([aou])e/g, '$1');
}

/** Lower case without marks; 'ä' is 'a', 'ß' is 'ss'. Very many marks on one letter take long to normalize. */
function foldLetters(text: string): string {
  const lower = text.toLowerCase();
  if (isPlain(lower)) return lower;
  return lower.replaceAll(MARKS, '').replaceAll('ß', 'ss').normalize('NFD').replaceAll(MARKS, '');
}

/** The same with each letter in its place: 'ß' is 's'. */
export function foldInPlace(text: string): string {
  const lower = text.toLowerCase();
  if (isPlain(lower) || lower.length !== text.length) return lower;
  return lower.replaceAll(/[^\0-\x7f]/g, (letter) => foldLetters(letter)[0] ?? letter);
}

const MARKS = /\p{M}/gu;
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

export const listWords = (text: string): string[] => text.trim().split(/\s+/);

/** One of the words of a list, which may hold patterns. */
export const matchAny = (list: string): RegExp => new RegExp(`^(?:${listWords(list).join('|')})$`, 'u');

export type Word = Readonly<{ start: number; end: number; text: string; folded: string; stem: string }>;

/** A part of a text; `end` is behind it. */
export type Span = Readonly<{ start: number; end: number }>;

export function splitWords(text: string, offset = 0): Word[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(({ 0: word, index }) => {
    const { folded, stem } = readWord(word);
    return { start: offset + index, end: offset + index + word.length, text: word, folded, stem };
  });
}

/** Words that were read, because most of them come again. */
const READ = new Map<string, Pick<Word, 'folded' | 'stem'>>();
const MOST_READ = 20_000;

function readWord(text: string): Pick<Word, 'folded' | 'stem'> {
  const known = READ.get(text);
  if (known !== undefined) return known;
  if (READ.size === MOST_READ) READ.clear();
  const folded = fold(text);
  const read = { folded, stem: stemWord(folded) };
  READ.set(text, read);
  return read;
}

const ABBREVIATION = new RegExp(
  String.raw`(?:^|[\s(])(?:${listWords(`
    z d u v o i b s a ca bzw etc usw ggf inkl max min mind Nr Dr Prof Ing Dipl Tel Str St Abb Art Bd Mio Mrd Tsd
    vgl evtl sog Hr Fr geb Jh Std Sek Min Jan Feb Apr Aug Sept Sep Okt Nov Dez
  `).join('|')}|\p{Lu})\.$`,
  'u',
);

/** Sentences of a text: 'am 3. Mai', 'z. B.' and '3.5' end none, a line break ends one. */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  const close = (end: number): void => {
    const part = text.slice(start, end);
    const lead = part.length - part.trimStart().length;
    if (part.trim() !== '') spans.push({ start: start + lead, end: start + part.trimEnd().length });
    start = end;
  };
  for (const { 0: mark, index } of text.matchAll(/\n+|(?<![.!?…])[.!?…]+["“”«»)]*(?=\s|$)/g)) {
    const end = index + mark.length;
    const before = text.slice(Math.max(start, index - 12), index + 1);
    const ordinal =
      /\d\.$/.test(before) && /^\s+(?:\p{L}|\d)/u.test(text.slice(end, end + 4)) && !isNumberEnd(text, index);
    if (mark === '.' && (ABBREVIATION.test(before) || ordinal)) continue;
    close(end);
  }
  close(text.length);
  return spans;
}

export const NEGATOR = /^(?:nicht|kein(?:e|em|en|er|es)?|nie|niemals|ohne|weder|niemand(?:en|em)?|nichts|nirgends)$/;
const CLAUSE = /[,;:–—](?!\d)|\s-\s|\b(?:und|aber|sondern|sodass|weil|dass|denn|doch)\b/giu;

/** The words of each clause of a sentence. */
export function splitClauses(text: string, offset: number): Word[][] {
  const cuts = [0, ...[...text.matchAll(CLAUSE)].map(({ index }) => index), text.length];
  return cuts.slice(1).map((end, at) => splitWords(text.slice(cuts[at], end), offset + (cuts[at] ?? 0)));
}

const BEGINNING = matchAny(`
  Wir Ich Das Die Der Es Er Sie Und Aber Dann Danach Heute Jetzt So Dabei Ein Eine Mit Bei In Im Am Auf Seit Also
`);

/** '… seit 2019. Wir …' ends a sentence, 'am 3. Mai' does not. */
function isNumberEnd(text: string, dot: number): boolean {
  if (/\d{3}/.test(text.slice(Math.max(0, dot - 3), dot))) return true;
  const [, next = ''] = /^\.\s+(\p{L}+)/u.exec(text.slice(dot, dot + 14)) ?? [];
  return BEGINNING.test(next);
}

/** Words that carry no statement of their own. */
const EMPTY = new Set(
  listWords(`
    aber alle allem allen aller alles als also am an andere anderen anderer anderes anstatt auch auf aufgrund aus bei
    beim bereits bevor bin bis bist bzw da dabei dadurch dafur dagegen daher damit danach dann daran darauf daraus darin
    daruber darum darunter das dass davon davor dazu dein deine dem den denen denn der deren des deshalb dessen deswegen
    die dies diese diesem diesen dieser dieses direkt doch dort du durch ebenso eben eigentlich ein eine einem einen
    einer eines einfach einige einigen einmal er erst es etwa etwas euch euer eure fast fur ganz ganze ganzen gar gegen
    gemeinsam genau gerade gerne gibt gleich habe haben habt halt hat hatte hatten heute her hier hin hinter ich ihm ihn
    ihnen ihr ihre ihrem ihren ihrer im immer in indem ins insgesamt ist ja je jede jedem jeden jeder jedes jedoch jetzt
    kann konnen konnte konnten kommt lasst lassen mal man mehr mein meine meinem meinen meiner mich mir mit mochte
    mochten muss mussen musste mussten nach nachdem naturlich neben noch nun nur ob oder oft ohne pro recht schon sehr
    sein seine seinem seinen seiner seit selbst sich sie sind so sobald sodass sogar solche soll sollen sollte sonst
    sowie sozusagen statt uber um und uns unser unsere unserem unseren unserer unter viel viele vielen vom von vor
    wahrend war waren warum was weil weiter welche welcher wenn wer werde werden weswegen wie wieder will wir wird
    wirklich wo wobei wodurch wollen worden wurde wurden ware zu zum zur zwar zwischen dank rund circa ca knapp gut kein
    keine keinem keinen keiner nicht nie niemals weder machen macht gemacht machte tun tut getan lang lange lag liegt
    liegen betragt betrug betragen bleibt bleiben blieb bedeutet heisst sorgt sorgen arbeite arbeitet unseres unserm
    eures eurem selber durfen durfte durften kommen kam kamen brachte bringt bringen
  `),
);

export const isEmptyWord = ({ folded }: Pick<Word, 'folded'>): boolean => EMPTY.has(folded) || folded.length < 2;

/** Words of one meaning in contributions of engineers, group by group. */
const SYNONYMS = `
  laufen funktionieren arbeiten betreiben; tauschen austauschen wechseln auswechseln ersetzen erneuern; Maschine
  Anlage Gerät Aggregat; Werk Fabrik Betrieb Standort; Mitarbeiter Mitarbeiterin Kollege Kollegin Beschäftigte Leute
  Team Mannschaft; Chef Chefin Leiter Leiterin Vorgesetzter; Firma Unternehmen Betrieb; Fehler Defekt Störung
  Problem Schaden Panne; kaputt defekt ausgefallen beschädigt; ausfallen Ausfall Stillstand stehenbleiben
  stillstehen; sparen einsparen Einsparung reduzieren verringern senken weniger sinken gesenkt; erhöhen steigern
  steigen wachsen Zuwachs Anstieg; schnell rasch zügig flott; langsam gemächlich; groß riesig gewaltig; klein
  winzig; wichtig entscheidend wesentlich zentral; prüfen testen kontrollieren überprüfen untersuchen Test Prüfung;
  messen Messung Messwert; entwickeln konstruieren entwerfen Entwicklung Konstruktion; bauen herstellen fertigen
  produzieren Fertigung Produktion Herstellung; einbauen montieren installieren Montage Einbau; kaufen anschaffen
  beschaffen Anschaffung; Kunde Kundin Auftraggeber Abnehmer; lernen ausbilden Ausbildung Lehre; Azubi Auszubildende
  Lehrling Auszubildender; beginnen starten anfangen Start Beginn Anfang; enden abschließen beenden fertig Abschluss
  Ende; sehen erkennen merken bemerken feststellen; zeigen vorführen präsentieren; laut lärmend Lärm Geräusch; leise
  ruhig geräuscharm; heiß warm erwärmen Hitze Wärme Temperatur; kalt kühl Kälte; Idee Einfall Gedanke; Lösung
  Antwort Ausweg; Ziel Zweck; Grund Ursache Auslöser; Erfahrung Erlebnis; Freude Spaß freuen begeistern
  Begeisterung; stolz zufrieden; schwierig schwer kompliziert herausfordernd Herausforderung; einfach leicht simpel;
  neu modern; alt ehemalig früher; wenig kaum gering; genau präzise exakt Präzision Genauigkeit; sicher Sicherheit
  zuverlässig; Auto Wagen Fahrzeug Pkw; sagen erzählen berichten erklären meinen; helfen unterstützen Hilfe
  Unterstützung; dauern brauchen benötigen; liefern ausliefern Lieferung; Projekt Vorhaben; Teil Bauteil Komponente
  Stück; Strom Energie; Halle Werkhalle; Nacht nachts; Morgen morgens früh; vermeiden verhindern; bekommen erhalten
  kriegen; verwenden nutzen einsetzen benutzen Einsatz Nutzung; drehen rotieren Drehung; undicht lecken Leck Leckage
  tropfen; Software Programm; Rechner Computer; tägig täglich Tag; jährlich Jahr; wöchentlich Woche; Schmierung
  schmieren Fett Öl ölen; Verschleiß abnutzen abgenutzt verschlissen; Wartung warten instandhalten Instandhaltung;
  Ingenieur Ingenieurin Techniker Technikerin; Reise Fahrt; Haus Gebäude; zusammen gemeinsam miteinander; Arbeit Job
  Tätigkeit; Planung planen Plan; seitdem seither; überwachen beobachten Überwachung; warnen melden alarmieren
  Warnung Meldung Alarm; Fehlerquote Ausschuss Ausschussquote; Firmenwagen Dienstwagen
`;

const CLASSES: ReadonlyMap<string, readonly number[]> = SYNONYMS.split(';').reduce((found, group, place) => {
  for (const word of listWords(group)) {
    const stem = stemWord(fold(word));
    found.set(stem, [...(found.get(stem) ?? []), place]);
  }
  return found;
}, new Map<string, number[]>());

/** Keys under which a word with the same meaning may be found: its stem, and the groups of synonyms it belongs to. */
export function listKeys(stem: string): string[] {
  return [stem, ...(CLASSES.get(stem) ?? []).map((group) => `~${group}`)];
}
