import { describe, expect, test } from 'vitest';
import { judgePairs, makeLongMaterial, summarizePairs } from '#tests/support/evidence-pairs.ts';
import { collectSources, createEvidence, indexSources } from './index.ts';
import { findDates } from './dates.ts';
import { findQuantities } from './numbers.ts';
import { parseNumeral } from './numerals.ts';
import { fold, splitSentences, stemWord } from './words.ts';

const judge = (source: string, body: string) => createEvidence(indexSources([{ id: 's', text: source }]))(body);
const missing = (source: string, body: string) =>
  judge(source, body).flatMap(({ facts }) =>
    facts.filter(({ place }) => place === undefined).map(({ kind, text }) => `${kind}: ${text}`),
  );

describe('Labelled sentences (posts, evidence)', () => {
  test('Every change is found, and at most one honest paraphrase in twenty raises a warning', async () => {
    const judged = await judgePairs('pairs');
    expect(judged.length).toBeGreaterThanOrEqual(150);
    const wrong = judged.filter(({ right }) => !right);
    expect(wrong.filter(({ label }) => label !== 'paraphrase')).toEqual([]);
    expect(summarizePairs(judged).falseWarnings).toBeLessThanOrEqual(0.05);
  });

  test.each([
    ['held-out', { name: 12, paraphrase: 26 }],
    ['held-out-again', { name: 13, paraphrase: 26 }],
  ] as const)('What was written after the function comes out no worse than it did: %s', async (set, least) => {
    const judged = await judgePairs(set);
    expect(judged.length).toBeGreaterThanOrEqual(60);
    const { byLabel } = summarizePairs(judged);
    for (const label of ['number', 'date', 'quotation_false'])
      expect([label, byLabel.get(label)?.right]).toEqual([label, byLabel.get(label)?.count]);
    for (const [label, right] of Object.entries(least))
      expect([label, byLabel.get(label)?.right]).toEqual([label, right]);
  });
});

describe('Numbers by value (posts, evidence)', () => {
  test.each([
    ['zwei Sekunden', '2 s'],
    ['1.250 Teile', '1250 Teile'],
    ['12,5 Prozent', '12,5 %'],
    ['anderthalb Stunden', '90 Minuten'],
    ['ein Dutzend Teile', '12 Teile'],
    ['dreieinhalb Millionen Euro', '3,5 Mio. €'],
    ['die Hälfte', '50 %'],
    ['ein halbes Jahr', '6 Monate'],
    ['von zwei auf drei bar', '2 bar, 3 bar'],
    ['zweihundertfünfzig Liter', '250 l'],
    ['dreifacher Druck', '3-facher Druck'],
    ['24-Stunden-Betrieb', '24 Stunden'],
    ['eine halbe Million Euro', '500.000 Euro'],
    ['ein halbes Dutzend Teile', '6 Teile'],
    ['3½ Stunden', 'dreieinhalb Stunden'],
    ['½ Stunde', '30 Minuten'],
    ['10³ Teile', 'tausend Teile'],
    ['10⁻³ m', '1 mm'],
    ['1.250,5 m²', '1250,5 Quadratmeter'],
  ])('%s is %s', (one, other) => {
    const values = (text: string) =>
      findQuantities(text).map(({ plain, unit }) => [unit?.kind, plain * (unit?.factor ?? 1)]);
    expect(values(one)).not.toEqual([]);
    expect(values(one)).toEqual(values(other));
  });

  test.each([
    ['einundzwanzig', 21],
    ['zwolfhundert', 1200],
    ['dreitausendvierhundertfunf', 3405],
    ['hunderteins', 101],
    ['siebenmal', undefined],
    ['drache', undefined],
    ['hund', undefined],
  ])('The numeral %s says %s', (word, value) => expect(parseNumeral(word)).toBe(value));
});

test.each([
  ['am 3. Mai', [{ day: 3, month: 5 }]],
  ['am 03.05.', [{ day: 3, month: 5 }]],
  ['bis 31.12.2026', [{ day: 31, month: 12, year: 2026 }]],
  ['2024-05-03', [{ day: 3, month: 5, year: 2024 }]],
  ['im März 2023', [{ month: 3, year: 2023 }]],
  ['um 6.30 Uhr', [{ clock: 390 }]],
  ['um zehn Uhr', [{ clock: 600 }]],
  ['Um zwölf Uhr dreißig', [{ clock: 750 }]],
  ['gegen einundzwanzig Uhr fünfundvierzig', [{ clock: 1305 }]],
  ['zehn Uhrwerke', []],
  ['um halb eins', [{ clock: 750 }]],
  ['um halb elf', [{ clock: 630 }]],
  ['am dritten Mai', [{ day: 3, month: 5 }]],
  ['der einunddreißigste Dezember 2026', [{ day: 31, month: 12, year: 2026 }]],
  ['der zweiundzwanzigste März', [{ day: 22, month: 3 }]],
  ['Dienstagabend', [{ weekday: 2 }]],
  ['Montagvormittag', [{ weekday: 1 }]],
  ['seit 2019', [{ year: 2019 }]],
  ['2019 Euro', []],
  ['mai', []],
])('Dates of "%s" (posts, evidence)', (text, dates) => {
  const found = findDates(text);
  expect(found).toMatchObject(dates);
  expect(found).toHaveLength(dates.length);
});

test.each([
  ['Treffpunkt ist am 10.11. um 18 Uhr in der Halle.', 'Treffpunkt in der Halle: 10.11. 18 Uhr', []],
  ['Wir haben im Mai 1500 Teile gebaut.', 'Wir haben 1.500 Teile gebaut.', []],
  ['Im Sommer 1200 Besucher, das war neu.', 'Neu waren 1200 Besucher.', []],
  ['Am 24.12. haben wir 30 Pumpen geliefert.', 'Am 24.12. 30 Pumpen geliefert.', []],
  ['Am 24.12. haben wir 30 Pumpen geliefert.', 'Am 24.12. 40 Pumpen geliefert.', ['number: 40']],
  ['Am 24. 12. 2024 haben wir geliefert.', 'Am 24.12.24 haben wir geliefert.', []],
])('A number behind a date is no year: %s %s (posts, evidence)', (source, body, facts) =>
  expect(missing(source, body)).toEqual(facts),
);

test.each([
  ['Wir haben 2.000 Mitarbeiter.', 'Wir haben 2000 Mitarbeiter.', []],
  ['Wir haben 2000 Mitarbeiter.', 'Wir haben 2.000 Mitarbeiter.', []],
  ['Wir haben zweitausend Mitarbeiter.', 'Wir haben 2000 Mitarbeiter.', []],
  ['Seit neunzehnhundertachtzig bauen wir Pumpen.', 'Seit 1980 bauen wir Pumpen.', []],
  ['Seit 2019 bauen wir Pumpen, bis heute zwölf.', 'Zwölf Pumpen bauen wir seit 2019.', []],
  ['Die Software läuft in Version 3.5 gut.', 'Gut läuft die Software in Version 3.5.', []],
  ['Gut läuft die Software in Version 3.5.', 'Die Software läuft in Version 3.5 gut.', []],
  ['Wir haben zweitausend Mitarbeiter.', 'Wir haben 2010 Mitarbeiter.', ['date: 2010']],
  ['Die Software läuft in Version 3.5 gut.', 'Gut läuft die Software in Version 3.6.', ['date: 3.6.']],
  ['Die Pumpe läuft mit 3,5 bar.', 'Die Pumpe läuft am 3.5. wieder.', ['date: 3.5.']],
])('What looks like a date may be a number: %s %s (posts, evidence)', (source, body, facts) =>
  expect(missing(source, body)).toEqual(facts),
);

test.each([
  ['Um zehn Uhr begann die Schulung.', 'Die Schulung begann um 10 Uhr.', []],
  ['Um zehn Uhr begann die Schulung.', 'Die Schulung begann um elf Uhr.', ['date: elf Uhr']],
  ['Wir treffen uns am dritten Mai in Halle.', 'Am 3.5. treffen wir uns in Halle.', []],
  ['Wir treffen uns am dritten Mai in Halle.', 'Am 4. Mai treffen wir uns in Halle.', ['date: 4. Mai']],
  ['Am Montagvormittag kam der Monteur.', 'Am Montag kam der Monteur.', []],
  ['Die Schulung begann um neun Uhr.', 'Um 9 begann die Schulung.', []],
  ['Zur Schulung kamen neun Leute.', 'Die Schulung begann um 9 Uhr.', ['date: 9 Uhr']],
  ['Die Schulung begann um neun, wie immer.', 'Die Schulung begann um 9 Uhr.', []],
  ['Die Schulung wuchs um neun Leute.', 'Die Schulung begann um 9 Uhr.', ['date: 9 Uhr']],
  ['Um halb elf begann die Schulung.', 'Die Schulung begann um 10:30 Uhr.', []],
])('Dates in words are dates: %s %s (posts, evidence)', (source, body, facts) =>
  expect(missing(source, body)).toEqual(facts),
);

test.each([
  ['Am Montag kam der Monteur, das war 2019.', 'Der Monteur kam 2019.', '2019'],
  ['Der Monteur kam im Mai, und wieder im Mai 2019.', 'Im Mai 2019 kam der Monteur.', 'Mai 2019'],
  ['Der Monteur kam im Mai, das war 2019.', 'Im Mai 2019 kam der Monteur.', 'Mai'],
])('The place of a date is the one that says it: %s (posts, evidence)', (source, body, date) => {
  const places = judge(source, body).flatMap(({ facts }) => facts.map(({ place }) => place));
  expect(places.map((place) => source.slice(place?.start, place?.end))).toEqual([date]);
});

test.each([
  [['eingebaut', 'einzubauen', 'Einbauten']],
  [['Überprüfung', 'überprüft', 'UEBERPRUEFEN']],
  [['lief', 'läuft', 'laufen', 'gelaufen']],
  [['Größe', 'groesse']],
])('Forms of one word have one stem: %j (posts, evidence)', (words) => {
  expect(new Set(words.map((word) => stemWord(fold(word)))).size).toBe(1);
});

test('Sentences end neither at ordinals nor at abbreviations (posts, evidence)', () => {
  const text = 'Am 3. Mai, z. B. um 9 Uhr, kam Dr. Weber. Das war 2019. Gut!\n#Technik';
  expect(splitSentences(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    'Am 3. Mai, z. B. um 9 Uhr, kam Dr. Weber.',
    'Das war 2019.',
    'Gut!',
    '#Technik',
  ]);
});

test('A verdict says where: a quotation to the letter, a paraphrase by its sentence (posts, evidence)', () => {
  const source = 'Wir haben den Sensor eingebaut. Die Pumpe läuft seit drei Jahren.';
  const [quoted, paraphrased, nothing] = judge(source, 'Die Pumpe läuft! Seit 3 Jahren läuft die Pumpe. Folgt uns.');
  expect(quoted).toMatchObject({ verdict: 'quoted', places: [{ source: 's', start: 32, end: 47 }] });
  expect(paraphrased).toMatchObject({ verdict: 'paraphrased', start: 17, end: 47, places: [{ start: 32 }] });
  const [number] = paraphrased?.facts ?? [];
  expect(source.slice(number?.place?.start, number?.place?.end)).toBe('drei');
  expect(nothing).toMatchObject({ verdict: 'unsupported', facts: [] });
});

describe('Quotations to the letter (posts, evidence)', () => {
  const source = 'Wir haben das Lager getauscht. Danach lief die Maschine ruhig.';

  test.each([
    ['„Wir haben das Lager getauscht. Danach lief die Anlage leise.“', ['Danach lief die Anlage leise.']],
    [
      '„Wir haben das Lager gewechselt.\n\nDanach lief die Maschine ruhig“, sagt sie.',
      ['Wir haben das Lager gewechselt.'],
    ],
    ['"Wir haben das Lager getauscht. Danach lief die Maschine leise."', ['Danach lief die Maschine leise.']],
    ['„Wir haben das Lager getauscht. Danach lief die Maschine ruhig.“', []],
    ['Das Lager mit 3" haben wir gewechselt. Danach lief die Maschine mit 3" leise.', []],
  ])('Over several sentences: %s', (body, quotations) => {
    const wrong = missing(source, body).filter((fact) => fact.startsWith('quotation'));
    expect(wrong).toEqual(quotations.map((text) => `quotation: ${text}`));
  });

  test('A mark that is typed later makes a quotation of a sentence that was read before', () => {
    const evidence = createEvidence(indexSources([{ id: 's', text: source }]));
    const listKinds = (body: string) => evidence(body).flatMap(({ facts }) => facts.map(({ kind }) => kind));
    expect(listKinds('„Wir haben das Lager gewechselt. Danach lief die Anlage leise.')).toEqual([]);
    expect(listKinds('„Wir haben das Lager gewechselt. Danach lief die Anlage leise.“')).toHaveLength(2);
  });

  test.each(['«…»', '»…«', '‚…‘', '›…‹', '‹…›'])('Marks of one and of two strokes: %s', (marks) => {
    const quote = (text: string): string => marks.replace('…', text);
    expect(missing(source, quote('Wir haben das Lager gewechselt.'))).toEqual([
      'quotation: Wir haben das Lager gewechselt.',
    ]);
    expect(missing(source, quote('Wir haben das Lager getauscht.'))).toEqual([]);
  });

  test('An apostrophe ends no quotation', () => {
    expect(missing('Ich hab’s geschafft.', '‚Ich hab’s geschafft‘, sagt sie.')).toEqual([]);
  });

  test('What stands between two quotations is none', () => {
    expect(missing(source, '«Wir haben» das «Lager» gewechselt.')).toEqual([]);
  });
});

describe('Temperatures below zero (posts, evidence)', () => {
  test.each([
    [
      'Die Anlage läuft bei minus 20 Grad im Freien.',
      'Die Anlage läuft bei 20 Grad im Freien.',
      ['number: 20', 'unit: Grad'],
    ],
    ['Die Anlage läuft bei 20 Grad im Freien.', 'Die Anlage läuft bei -20 °C im Freien.', ['number: -20', 'unit: °C']],
    ['Die Anlage läuft von -20 bis 5 °C.', 'Die Anlage läuft von 20 bis 5 °C.', ['number: 20']],
    ['Die Anlage läuft bei minus 20 Grad im Freien.', 'Die Anlage läuft bei −20 °C im Freien.', []],
    ['Die Anlage läuft bei 20 Grad minus im Freien.', 'Die Anlage läuft bei –20 °C im Freien.', []],
    ['Die Anlage läuft bei 20 Grad unter null.', 'Die Anlage läuft bei minus zwanzig Grad.', []],
    ['Die Anlage läuft bei minus 20 bis minus 5 Grad.', 'Die Anlage läuft bei -20 bis -5 °C.', []],
    ['Die Anlage läuft bei minus 20 Grad.', 'Die Anlage läuft bei minus 20.', []],
    ['Die Anlage läuft bei 20 bis 30 Grad.', 'Die Anlage läuft bei 20-30 °C.', []],
    ['Der Verbrauch sank um fünf Prozent.', 'Der Verbrauch sank: minus 5 Prozent.', []],
  ])('%s %s', (source, body, facts) => expect(missing(source, body)).toEqual(facts));
});

test.each([
  ['Wir achten auf Pumpen aus Halle.', 'Acht Pumpen aus Halle.', ['number: Acht']],
  ['Jedes Detail ist uns wichtig.', 'Wir achten auf jedes Detail.', []],
  ['Auf Details achte ich, das ist mir wichtig.', 'Ich achte auf Details.', []],
  ['Leute, die achten auf Details.', 'Die achten da auf Details.', []],
  ['Der achte Versuch mit der Pumpe gelang.', 'Die Pumpe lief beim 8. Versuch.', []],
  ['Der achte und letzte Versuch gelang.', 'Der neunte und letzte Versuch gelang.', ['number: neunte']],
])('The verb is no eighth: %s %s (posts, evidence)', (source, body, facts) =>
  expect(missing(source, body)).toEqual(facts),
);

test.each([
  ['Der Spalt hat zehn Millimeter.', 'Der Spalt hat 10 \u03bcm.', ['unit: \u03bcm']],
  ['Der Spalt hat 10 \u00b5m.', 'Der Spalt hat 10 \u03bcm.', []],
  ['Der Laser hat eine Leistung von 5 mW.', 'Der Laser hat eine Leistung von 5 MW.', ['unit: MW']],
  ['Der Laser hat fünf Megawatt.', 'Der Laser hat 5 mW.', ['unit: mW']],
  ['Das Öl hat eine Zähigkeit von 80 mPa s.', 'Das Öl hat eine Zähigkeit von 80 MPa s.', ['unit: MPa']],
  ['Die Anlage hat fünf Megawatt.', 'Die Anlage hat 5 MW.', []],
])('Units that look alike: %s %s (posts, evidence)', (source, body, facts) =>
  expect(missing(source, body)).toEqual(facts),
);

test('Raised digits make another number (posts, evidence)', () => {
  expect(missing('Die Pumpe hielt 10⁶ Zyklen.', 'Die Pumpe hielt 10⁷ Zyklen.')).toEqual(['number: 10⁷']);
  expect(missing('Die Pumpe hielt 10⁶ Zyklen.', 'Die Pumpe hielt eine Million Zyklen.')).toEqual([]);
});

test('A number counts what it counts in the source (posts, evidence)', () => {
  const source = 'Ich habe drei Pumpen und zwölf Ventile geprüft.';
  expect(missing(source, 'Zwölf Ventile habe ich geprüft.')).toEqual([]);
  expect(missing(source, 'Zwölf Pumpen habe ich geprüft.')).toEqual(['number: Zwölf']);
  const range = 'Ich prüfe 20 bis 30 Pumpen am Tag.';
  expect(missing(range, 'Am Tag prüfe ich 20–30 Pumpen.')).toEqual([]);
  expect(missing(range, 'Am Tag prüfe ich 20–40 Pumpen.')).toEqual(['number: 40']);
  expect(missing('Ich prüfe 20-30 Pumpen am Tag.', 'Am Tag prüfe ich 30 Pumpen.')).toEqual([]);
});

test.each([
  ['Der Umbau hat ein Jahr gedauert.', 'Der Umbau dauerte 1 Jahr.', []],
  ['Der Umbau hat ein Jahr gedauert.', 'Der Umbau dauerte 12 Monate.', []],
  ['Das Paket wiegt eine Tonne.', 'Das Paket wiegt 1.000 kg.', []],
  ['Der Umbau hat 1 Jahr gedauert.', 'Der Umbau dauerte ein Jahr.', []],
  ['Der Umbau hat ein Jahr gedauert.', 'Der Umbau dauerte 1 Woche.', ['unit: Woche']],
  ['Der Umbau dauert ein bis zwei Jahre.', 'Der Umbau dauert 1 bis 2 Jahre.', []],
  ['Der Umbau dauert ein oder zwei Jahre.', 'Der Umbau dauert 1 oder 2 Jahre.', []],
  ['Der Umbau hat zwölf Monate gedauert.', 'Der Umbau dauerte ein Jahr.', []],
  ['Der Umbau hat lange gedauert.', 'Der Umbau begann eines Tages.', []],
  ['Der Stahl ist ein S235.', 'Der Stahl ist ein S355.', ['name: S355']],
  ['Der Umbau hat ein Jahr gedauert.', 'Der Umbau dauerte zwei Jahre.', ['number: zwei', 'unit: Jahre']],
  ['Die Anlage hat ein Lager.', 'Die Anlage braucht 1 Jahr.', ['number: 1', 'unit: Jahr']],
])("'Ein' before a unit is one: %s %s (posts, evidence)", (source, body, facts) =>
  expect(missing(source, body)).toEqual(facts),
);

test('What an article stands before counts where it is no number (posts, evidence)', () => {
  expect(judge('Das war ein toller Tag für alle.', 'Was für ein Tag!')).toMatchObject([{ verdict: 'paraphrased' }]);
  expect(judge('Das war ein toller Ausflug.', 'Was für ein Tag!')).toMatchObject([{ verdict: 'unsupported' }]);
});

describe('Directions (posts, evidence)', () => {
  test.each([
    ['Wir brauchen 5 % weniger Strom.', 'Wir brauchen 5 % mehr Strom.', 'mehr'],
    ['Der Ausschuss ist um fünf Prozent gesunken.', '5 % mehr Ausschuss.', 'mehr'],
    ['Der Verbrauch ist um 12,5 Prozent gestiegen.', 'Der Verbrauch sank um 12,5 %.', 'sank'],
    ['Der Druck steigt im Betrieb.', 'Im Betrieb ist der Druck niedriger.', 'niedriger'],
    ['Mit dem Greifer geht der Wechsel schneller.', 'Der Wechsel geht mit dem Greifer langsamer.', 'langsamer'],
    ['Vor der Schicht prüfen wir die Pumpe.', 'Nach der Schicht prüfen wir die Pumpe.', 'Nach'],
    ['Wir prüfen die Pumpe, nachdem sie lief.', 'Wir prüfen die Pumpe, bevor sie lief.', 'bevor'],
    ['Nach drei Jahren lief die Pumpe.', 'Vor 3 Jahren lief die Pumpe.', 'Vor'],
    ['Die Pumpe braucht mindestens fünf bar.', 'Höchstens 5 bar braucht die Pumpe.', 'Höchstens'],
    ['In der Halle arbeiten mehr als 40 Leute.', 'Weniger als 40 Leute arbeiten in der Halle.', 'Weniger'],
    ['In der Halle arbeiten über 40 Leute.', 'Unter 40 Leute arbeiten in der Halle.', 'Unter'],
  ])('Turned round: %s %s', (source, body, word) => {
    expect(missing(source, body)).toEqual([`direction: ${word}`]);
    expect(judge(source, body)).toMatchObject([{ verdict: 'unsupported' }]);
  });

  test.each([
    ['Wir brauchen 5 % weniger Strom.', 'Der Strom sank um 5 %.'],
    ['Der Ausschuss ist gesunken, der Durchsatz gestiegen.', 'Mehr Durchsatz, weniger Ausschuss.'],
    ['Bei höherer Drehzahl sinkt der Druck.', 'Der Druck sinkt, wenn die Drehzahl höher ist.'],
    ['Wir haben weniger Ausfälle in der Halle.', 'Die Halle schafft mehr Teile.'],
    ['Die Pumpe braucht keine Wartung mehr.', 'Weniger Wartung der Pumpe.'],
    ['Der Verbrauch ist nicht gestiegen.', 'Der Verbrauch ist nicht gesunken.'],
    ['Wir prüfen die Pumpe nach der Schicht.', 'Vor der Pumpe steht die Schicht.'],
    ['Wir liefern Pumpen nach Frankreich.', 'Vor Ort in Frankreich liefern wir Pumpen.'],
    ['Vor der Schicht prüfen wir, und nach der Schicht.', 'Nach der Schicht prüfen wir.'],
    ['Mehr als 40 Leute arbeiten in der Halle.', 'Über 40 Leute arbeiten in der Halle.'],
    ['Die Pumpe steht unter Druck.', 'Die Pumpe ist über Druck geregelt.'],
    ['Der Wechsel geht schneller.', 'Schneller geht der Wechsel, und mehr.'],
  ])('Left as it is: %s %s', (source, body) =>
    expect(missing(source, body).filter((fact) => fact.startsWith('direction'))).toEqual([]),
  );

  test.each([
    [
      'Vor zwei Jahren kam die Anlage, und schon zwei Wochen später lief sie.',
      'Schon nach zwei Wochen lief die Anlage.',
    ],
    ['Wir haben zwei Jahre entwickelt. Vor zwei Monaten lief die Anlage an.', 'Nach zwei Jahren lief die Anlage an.'],
    ['Vor drei Jahren habe ich angefangen, heute leite ich das Team.', 'Nach drei Jahren leite ich das Team.'],
    ['Vor der Umstellung hatten wir 5 % Ausschuss, danach 2 %.', 'Nach der Umstellung waren es 2 % Ausschuss.'],
    ['Vor der Umstellung hatten wir 5 % Ausschuss. Danach waren es 2 %.', 'Nach der Umstellung sank er auf 2 %.'],
    ['Nach dem Umbau haben wir 2 % Ausschuss, vorher waren es 5 %.', 'Vor dem Umbau waren es 5 % Ausschuss.'],
    ['Vor 1990 stand hier eine Kokerei, seit 1990 bauen wir Pumpen.', 'Nach 1990 haben wir hier Pumpen gebaut.'],
    ['Bevor wir die Pumpe einbauen, prüfen wir sie.', 'Nachdem die Pumpe geprüft ist, bauen wir sie ein.'],
    ['Nachdem die Maschine gereinigt ist, schmieren wir sie.', 'Bevor die Maschine geschmiert wird, reinigen wir sie.'],
    ['Wir tauschen jede Pumpe aus, aber vor dem Tausch prüfen wir sie.', 'Nach und nach tauschen wir die Pumpen aus.'],
    ['Wir prüfen jede Pumpe, aber vor dem Prüfen reinigen wir sie.', 'Nach wie vor prüfen wir jede Pumpe.'],
  ])('Before and after in other words: %s %s', (source, body) => expect(missing(source, body)).toEqual([]));

  test.each([
    ['Heute brauchen wir 5 % weniger Strom.', 'Früher brauchten wir 5 % mehr Strom.'],
    ['Damals war der Druck höher, deshalb platzten die Leitungen.', 'Heute ist der Druck niedriger.'],
    ['Seit dem Umbau haben wir weniger Unfälle.', 'Vor dem Umbau gab es mehr Unfälle.'],
    ['Nach dem Umbau ist der Ausschuss gesunken.', 'Vor dem Umbau war der Ausschuss höher.'],
    ['Die neue Anlage ist schneller als die alte.', 'Die alte Anlage war langsamer.'],
    ['Die neue Anlage ist schneller als die alte.', 'Die alte Anlage war langsamer als die neue.'],
    ['Der Roboter ist schneller als ein Mensch.', 'Ein Mensch ist langsamer als der Roboter.'],
    ['Mit dem Greifer geht der Wechsel schneller als von Hand.', 'Von Hand ging der Wechsel langsamer.'],
    ['In Halle 2 ist der Ausschuss höher als in Halle 1.', 'In Halle 1 ist der Ausschuss niedriger als in Halle 2.'],
    ['Wir haben mehr Bewerbungen als im letzten Jahr.', 'Im letzten Jahr hatten wir weniger Bewerbungen.'],
    ['Erst sank der Umsatz, im Herbst stieg er wieder.', 'Danach stieg der Umsatz wieder.'],
    ['Seitdem haben wir viel weniger Ausfälle.', 'Seitdem gibt es kaum mehr Ausfälle.'],
    ['Für die Wartung brauchen wir weniger Zeit.', 'So haben wir mehr Zeit.'],
    ['Die neue Pumpe braucht weniger Platz.', 'Wir haben mehr Platz.'],
    ['Das heißt weniger Strom.', 'So sparen wir mehr Strom.'],
    ['Der Umbau über zwei Etagen dauerte knapp zwei Stunden.', 'Der Umbau dauerte unter zwei Stunden.'],
  ])('The same compared the other way round: %s %s', (source, body) => expect(missing(source, body)).toEqual([]));

  test('Both turned round are two warnings', () => {
    const source = 'Der Ausschuss ist gesunken, der Durchsatz gestiegen.';
    const facts = missing(source, 'Der Ausschuss ist gestiegen, der Durchsatz gesunken.');
    expect(facts).toEqual(['direction: gestiegen', 'direction: gesunken']);
  });

  test.each([
    ['Früher war der Druck höher.', 'Früher war der Druck niedriger.', 'niedriger'],
    ['Die neue Anlage ist schneller als die alte.', 'Die neue Anlage ist langsamer als die alte.', 'langsamer'],
    ['Nach dem Umbau sank der Ausschuss.', 'Vor dem Umbau sank der Ausschuss.', 'Vor'],
    ['Die Wartung braucht weniger Zeit.', 'Die Wartung braucht mehr Zeit.', 'mehr'],
    ['Er braucht 5 % weniger Strom.', 'Er braucht 5 % mehr Strom.', 'mehr'],
  ])('Turned round although something is compared: %s %s', (source, body, word) =>
    expect(missing(source, body)).toEqual([`direction: ${word}`]),
  );
});

test('A number from elsewhere in much material does not count (posts, evidence)', () => {
  const elsewhere = 'Der Bus fährt um acht. Das Wetter ist schön. Es gibt Suppe. Gestern war frei. ';
  const source = `Wir haben fünf Roboter gekauft. ${elsewhere}Meine Tante hat 40 Hühner. ${elsewhere}`;
  expect(missing(source, 'Wir haben 40 Roboter gekauft.')).toEqual(['number: 40']);
});

test('The interviewer’s words are no source, and places are places in the transcript (posts, evidence)', () => {
  const transcript = 'Interviewer: Sind es 40 Pumpen?\n\nDu: Nein, 30 Pumpen.\n\nAlle neu.\n\nInterviewer: In Köln?';
  const sources = collectSources({
    transcript,
    answers: { who: 'Ada', what: ' ' },
    files: ['pumpe_alt.jpg'],
    alternatives: { 7: 'Halle' },
  });
  expect(sources.map(({ id }) => id)).toEqual(['transcript', 'answer:who', 'file:pumpe_alt.jpg', 'alternative:7']);
  const evidence = createEvidence(indexSources(sources));
  const [first] = evidence('30 Pumpen, alle neu.');
  const [number] = first?.facts ?? [];
  expect(transcript.slice(number?.place?.start, number?.place?.end)).toBe('30');
  const said = evidence('40 Pumpen in Köln.').flatMap(({ facts }) => facts.map(({ text, place }) => [text, place]));
  expect(said).toEqual([
    ['40', undefined],
    ['Köln', undefined],
  ]);
});

test('Links and tags claim nothing (posts, evidence)', () => {
  expect(missing('Die Pumpe läuft.', 'Die Pumpe läuft. #SKF2024 https://example.org/Berlin/42')).toEqual([]);
  expect(judge('Die Pumpe läuft.', 'Die Pumpe läuft. #Technik #Pumpe')).toHaveLength(1);
});

test('Every text has evidence, also an empty and a strange one (posts, evidence)', async () => {
  expect(judge('', '')).toEqual([]);
  expect(judge('', 'Hallo Welt.')).toMatchObject([{ verdict: 'unsupported', places: [] }]);
  expect(judge('x', '… ?! 🎉\n\n')).toEqual([]);
  const { transcript, body } = await makeLongMaterial();
  expect(judge(transcript, body).filter(({ verdict }) => verdict !== 'unsupported').length).toBeGreaterThan(20);
});

test('A word that repeats a numeral without an end is no number, and all else has evidence (threat 21)', () => {
  const transcript = `Die Pumpe läuft seit 2019. ${'tausend'.repeat(25_000)}`;
  expect(judge(transcript, 'Die Pumpe läuft seit 2019.')).toMatchObject([{ verdict: 'quoted' }]);
});
