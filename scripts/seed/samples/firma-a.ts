import type { Sample } from '../sample.ts';

/** A maker of testing machines. */
export const FIRMA_A: readonly Sample[] = [
  {
    key: 'a-pruefmaschine',
    by: 'firma_a',
    kind: 'interview',
    topic: 'tech-dive',
    daysAgo: 1.5,
    person: ['Sven', 'Hallmann'],
    turns: [
      'Was habt ihr gebaut?',
      'Eine Prüfmaschine, die jedes Bauteil in unter zwei Sekunden misst. Sie steht direkt neben der Drehbank.',
      'Wie ging das vorher?',
      'Jedes zwanzigste Teil ging in den Messraum. Wenn etwas nicht stimmte, waren schon hundert Teile falsch.',
      'Wer hatte die Idee?',
      'Die Nachtschicht. Ich habe nur die Kamera ausgesucht.',
    ],
    files: [
      { make: 'picture', scene: 'workshop' },
      { make: 'picture', scene: 'workshop' },
    ],
    state: 'new',
  },
  {
    key: 'a-ausbildung',
    by: 'firma_a',
    kind: 'interview',
    topic: 'engineering-path',
    daysAgo: 8,
    person: ['Leyla', 'Demirci'],
    turns: [
      'Wie sieht dein Weg bei euch aus?',
      'Ich studiere dual. Drei Monate Hochschule, drei Monate Betrieb, und zwischendurch vergesse ich, ' +
        'wo mein Helm liegt.',
      'Was machst du gerade im Betrieb?',
      'Ich programmiere die Steuerung für einen Greifer. Er soll ein rohes Ei nehmen können und danach einen Kolben.',
      'Klappt es?',
      'Mit dem Kolben schon. Eier haben wir keine mehr.',
    ],
    files: [{ make: 'picture', scene: 'team' }],
    state: 'for_review',
    assigned: true,
    review: 'Hallo Leyla, die Sache mit den Eiern ist der Einstieg. Einverstanden?',
  },
  {
    key: 'a-kuehlung',
    by: 'firma_a',
    kind: 'voice_message',
    daysAgo: 4,
    person: ['Bernd', 'Achterberg'],
    transcript:
      'Hallo, Bernd aus der Entwicklung. Wir haben die Kühlung unserer Spindel umgestellt, von Öl auf ' +
      'Luft. Das klingt nach wenig, spart aber in einer Halle zweihundert Liter Öl im Jahr. Und man hört ' +
      'die Maschine kaum noch.',
    files: [
      { make: 'recording', pitch: 98 },
      { make: 'picture', scene: 'workshop' },
    ],
    state: 'in_progress',
    assigned: true,
  },
  {
    key: 'a-messefilm',
    by: 'firma_a',
    kind: 'video',
    daysAgo: 17,
    person: ['Katja', 'Riemer'],
    answers: {
      who: 'Das Messeteam',
      what: 'Die Prüfmaschine im Dauerlauf',
      when: 'Vier Tage Messe',
      where: 'Halle 6, Stand B12',
      why: 'Weil alle fragen, ob sie das wirklich so schnell kann',
    },
    files: [{ make: 'film', scene: 'workshop' }],
    state: 'published',
    review: 'Hallo Katja, wir haben auf 30 Sekunden gekürzt.',
  },
  {
    key: 'a-platine',
    by: 'firma_a',
    kind: 'image',
    daysAgo: 11,
    person: ['Dmitri', 'Wolkow'],
    answers: {
      who: 'Die Elektronikfertigung',
      what: 'Die erste Platine ohne Blei',
      when: 'Seit September',
      where: 'Linie 2',
      why: 'Weil wir drei Jahre daran gearbeitet haben',
    },
    files: [
      { make: 'picture', scene: 'board' },
      { make: 'picture', scene: 'board' },
    ],
    state: 'for_review',
    review: 'Guten Tag, wir schlagen Bild zwei vor.',
    posts: [
      {
        channel: 'linkedin',
        alts: ['Die erste Platine ohne Blei von oben', 'Dieselbe Platine von der Seite'],
        steps: [
          { write: 'Die erste Platine ohne Blei: Seit September läuft sie auf Linie 2 der Elektronikfertigung.' },
          'send',
          { answer: 'approve' },
        ],
      },
      {
        channel: 'instagram',
        alts: ['Die erste Platine ohne Blei von oben'],
        steps: [
          { write: 'Zwei Jahre Arbeit, eine Platine ohne Blei. #Elektronik', model: 'demo-model' },
          'send',
          { answer: 'change', comment: 'Drei Jahre, nicht zwei. Und bitte Linie 2 nennen.' },
        ],
      },
      {
        channel: 'facebook',
        alts: ['Die erste Platine ohne Blei von oben'],
        steps: [
          { write: 'Die Elektronikfertigung lötet seit September ohne Blei.' },
          'send',
          { answer: 'decline', comment: 'Bitte nicht auf Facebook.' },
        ],
      },
      {
        channel: 'website',
        alts: ['Die erste Platine ohne Blei von oben', 'Dieselbe Platine von der Seite'],
        steps: [
          {
            write:
              'Ohne Blei\n\nSeit September fertigt Linie 2 Platinen ohne Blei. Drei Jahre hat die ' +
              'Elektronikfertigung daran gearbeitet.',
          },
          'send',
        ],
      },
    ],
  },
  {
    key: 'a-datenblatt',
    by: 'firma_a',
    kind: 'document',
    daysAgo: 25,
    person: ['Gudrun', 'Ehlers'],
    files: [
      {
        make: 'document',
        title: 'Prüfmaschine PM 200',
        paragraphs: [
          'Messzeit unter zwei Sekunden, Genauigkeit zwei Mikrometer, Bauteile bis 200 Millimeter.',
          'Anbindung an die Steuerung der Drehbank, Korrektur im laufenden Betrieb.',
        ],
      },
      { make: 'picture', scene: 'chart' },
    ],
    state: 'in_progress',
  },
  {
    key: 'a-richtfest',
    by: 'firma_a',
    kind: 'contributor',
    daysAgo: 5,
    person: ['Oliver', 'Stolte'],
    files: [
      { make: 'picture', scene: 'crane' },
      { make: 'picture', scene: 'team' },
      { make: 'picture', scene: 'crane' },
    ],
  },
];
