import { findUnit } from './units.ts';
import { fold, isEmptyWord, listWords, matchAny, splitWords, type Word } from './words.ts';

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
 * The names of a sentence: people, places, companies, norms and products. German writes every noun with a capital, so a
 * word counts as a name for what it is (a known name, an acronym, a code), for what stands beside it (a title, a legal
 * form, a first name, another noun without an article), or because it is a place after a preposition.
 */
export function findNames(sentence: string, offset: number, known: KnownWords): Word[] {
  const words = splitWords(sentence, offset);
  const named = new Set<Word>();
  let before: Word | undefined;
  for (const [at, word] of words.entries()) {
    const next = words[at + 1];
    const between = sentence.slice(word.end - offset, next && next.start - offset);
    const after = /^[ \u00a0.-]*$/.test(between) ? next : undefined;
    if (isNamed(word, before, after, named, known)) named.add(word);
    before = after && word;
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
  if (isEmptyWord(before) || BEFORE_NOUN.test(before.folded) || findUnit(before.text) !== undefined) return false;
  return /^\p{Lu}\p{Ll}+$/u.test(before.text) && !known.resembles(word) && !known.resembles(before);
}

/**
 * First names, surnames, places and companies that contributions are likely to name, without those that are common
 * words as well ('Essen', 'Winter'). What is missing here is found by its place in the sentence.
 */
const NAMES = `
  Ada Adrian Agnes Ahmed Alexander Alexandra Ali Alina Amelie Amira Andrea Andreas Angela Angelika Anja Anke Anna Anne
  Annette Antje Anton Arne Astrid Ayse Barbara Bastian Beate Ben Benedikt Benjamin Bernd Bernhard Bettina Birgit Björn
  Brigitte Britta Bruno Carina Carla Carolin Carsten Charlotte Christa Christian Christiane Christina Christine
  Christoph Clara Claudia Claus Cornelia Dagmar Daniel Daniela David Denis Dennis Dieter Dietmar Dirk Dominik Doris
  Dorothea Eberhard Edgar Elena Elias Elif Elisabeth Elke Ella Emil Emilia Emine Emma Eric Erik Erika Erwin Esra Eva
  Fabian Fatma Felix Ferdinand Florian Frank Franz Franziska Frauke Friederike Fritz Gabriele Georg Gerald Gerd Gerhard
  Gisela Grace Gregor Gudrun Günter Günther Hanna Hannah Hannes Hans Harald Hartmut Hasan Heike Heiko Heinrich Heinz
  Helga Helmut Hendrik Henrik Henry Herbert Hermann Holger Horst Hubert Hüseyin Ibrahim Ida Ilona Ilse Ines Ingo Ingrid
  Irene Iris Isabel Isabell Ivan Jakob Jan Jana Janina Jannik Jasmin Jens Jessica Joachim Jochen Johann Johanna Johannes
  Jonas Jonathan Jörg Josef Judith Julia Julian Juliane Jürgen Jutta Kai Karen Karin Karl Karoline Karsten Katharina
  Kathrin Katja Katrin Kerstin Kevin Kirsten Klara Klaus Konrad Konstantin Kristin Kristina Kurt Lara Lars Laura Lea
  Leah Lena Leon Leonie Levin Lina Linda Lisa Lothar Louis Louisa Luca Luis Luisa Lukas Lutz Maike Manfred Manuel
  Manuela Marc Marcel Marco Marcus Maren Margarete Margit Maria Marianne Marie Marina Mario Marion Markus Marlene
  Marlies Martha Martin Martina Marvin Mathias Mathilda Matthias Max Maximilian Mehmet Meike Melanie Merle Mia Michael
  Michaela Mike Miriam Mirko Mohammed Monika Moritz Murat Mustafa Nadine Nadja Natalie Nele Nicole Niklas Nils Nina Noah
  Nora Norbert Olaf Ole Oliver Olga Oskar Otto Patricia Patrick Paul Paula Petra Peter Philipp Pia Rainer Ralf Ralph
  Ramona Raphael Rebecca Regina Reiner Reinhard Renate Richard Rita Robert Roland Rolf Roman Ronny Rudolf Rüdiger Sabine
  Sabrina Samuel Sandra Sara Sarah Sascha Sebastian Selin Selma Silke Silvia Simone Sina Sonja Sofia Sophia Sophie
  Stefan Stefanie Steffen Stephan Stephanie Susanne Sven Svenja Swantje Sylvia Tanja Tatjana Theo Theresa Thomas
  Thorsten Till Tim Timo Tina Tobias Tom Torben Torsten Udo Ulrich Ulrike Ursula Ute Uwe Valentin Vanessa Vera Verena
  Veronika Victoria Viktor Vincent Volker Walter Waltraud Wilhelm Willi Wolfgang Yannick Yasmin Yusuf Zeynep Müller
  Schmidt Weber Meyer Meier Maier Mayer Wagner Becker Schulz Hoffmann Schäfer Schröder Neumann Zimmermann Krüger Hofmann
  Hartmann Schmitt Krause Lehmann Köhler Herrmann Huber Fuchs Scholz Möller Hahn Schubert Friedrich Keller Winkler
  Lorenz Baumann Kraus Böhm Franke Albrecht Ludwig Yılmaz Yilmaz Kaya Demir Nguyen Kowalski Nowak Petersen Hansen Jansen
  Janssen Thomsen Lovelace Hopper Brandt Voigt Bergmann Pohl Arnold Pfeiffer Seidel Aachen Augsburg Bayern Berlin
  Bielefeld Bochum Bonn Bottrop Brandenburg Braunschweig Bremen Bremerhaven Chemnitz Cottbus Darmstadt Dortmund Dresden
  Duisburg Düsseldorf Eisenach Emden Erfurt Erlangen Esslingen Flensburg Frankfurt Freiburg Fürth Gelsenkirchen Gera
  Gießen Göttingen Graz Greifswald Hamburg Hanau Hannover Heidelberg Heilbronn Herne Hessen Hildesheim Ingolstadt
  Innsbruck Jena Kaiserslautern Karlsruhe Kassel Kiel Koblenz Köln Konstanz Krefeld Landshut Leipzig Leverkusen Lindau
  Lübeck Ludwigsburg Ludwigshafen Lüneburg Magdeburg Mainz Mannheim Marburg Moers Mönchengladbach München Münster Neuss
  Niedersachsen Nürnberg Oberhausen Offenbach Offenburg Oldenburg Osnabrück Paderborn Passau Pforzheim Potsdam
  Ravensburg Regensburg Remscheid Reutlingen Rosenheim Rostock Ruhrgebiet Saarbrücken Saarland Sachsen Salzburg
  Salzgitter Schweinfurt Schwerin Siegen Solingen Stralsund Stuttgart Thüringen Trier Tübingen Weimar Westfalen Wien
  Wiesbaden Wolfsburg Wuppertal Würzburg Zürich Zwickau Basel Bern Genf Europa Asien Afrika Amerika Deutschland
  Österreich Schweiz Frankreich Italien Spanien Portugal Polen Tschechien Ungarn Rumänien Niederlande Holland Belgien
  Dänemark Schweden Norwegen Finnland England Großbritannien Irland Griechenland Türkei Russland Ukraine China Japan
  Indien Korea Südkorea Taiwan Vietnam Thailand Singapur Australien Kanada Mexiko Brasilien Argentinien Chile USA
  Ägypten Marokko Israel Dubai Paris London Rom Mailand Madrid Barcelona Lissabon Prag Warschau Budapest Amsterdam
  Rotterdam Brüssel Kopenhagen Stockholm Oslo Helsinki Moskau Peking Shanghai Tokio Boston Chicago Detroit Texas ABB
  Airbus Aldi Amazon Audi BASF Bayer Beckhoff Bilfinger BMW Bosch Continental Daimler Danfoss DHL DMG Dürr Endress EnBW
  Evonik Fanuc Festo Fraunhofer Fronius Google Grundfos Harting Henkel Hilti Honeywell IBM Infineon Jungheinrich Kärcher
  Kion Knorr KSB Kuka Lenze Liebherr Lufthansa Mahle Mercedes Miele Microsoft MTU Nokia NSK Opel Pepperl Phoenix Porsche
  Rexroth Rittal Rheinmetall SAP Schaeffler Schuler SEW Siemens SKF Stihl Tesla Thyssenkrupp Toyota Trumpf VDI VDMA
  Viessmann Voith Volkswagen Volvo Wago Wilo Wittenstein Würth Zeiss LinkedIn Instagram Facebook YouTube Achema Bauma
  Automatica
`;

export const KNOWN_NAMES: ReadonlySet<string> = new Set(listWords(NAMES).map(fold));
