import type { Sample } from '../sample.ts';

/** A testing laboratory; its area offers interviews behind the scenes and voice messages. */
export const TESTNORMEC: readonly Sample[] = [
  {
    key: 't-feuerprobe',
    by: 'testnormec',
    kind: 'interview',
    topic: 'behind-scenes',
    daysAgo: 1.2,
    person: ['Corinna', 'Behling'],
    turns: [
      'Was passiert in eurem Labor?',
      'Wir zünden Dinge an, und zwar sehr genau. Heute war es ein Kabelkanal.',
      'Worauf achtest du dabei?',
      'Nicht auf die Flamme, auf den Rauch. Nach neunzig Sekunden muss man den Ausgang noch sehen können.',
    ],
    files: [{ make: 'picture', scene: 'lab' }],
  },
  {
    key: 't-falltest',
    by: 'testnormec',
    kind: 'interview',
    topic: 'behind-scenes',
    daysAgo: 10,
    person: ['Lukas', 'Feddersen'],
    turns: [
      'Welche Prüfung magst du am liebsten?',
      'Den Falltest. Ein Helm, fünf Kilo Stahl, ein Meter. Es ist in einer Sekunde vorbei, und danach weiß man alles.',
      'Wie viele Helme waren es schon?',
      'Viertausend. Den ersten habe ich aufgehoben.',
    ],
    files: [
      { make: 'picture', scene: 'lab' },
      { make: 'picture', scene: 'team' },
    ],
    state: 'in_progress',
  },
  {
    key: 't-kalibrierung',
    by: 'testnormec',
    kind: 'interview',
    topic: 'behind-scenes',
    daysAgo: 19,
    person: ['Agnieszka', 'Nowak'],
    turns: [
      'Was ist eine Kalibrierung?',
      'Ein Vergleich mit etwas, dem alle vertrauen. Unser Kilogramm liegt unter drei Glasglocken und ' +
        'darf nicht angefasst werden.',
      'Wer prüft euch?',
      'Jemand mit einem besseren Kilogramm.',
    ],
    files: [{ make: 'picture', scene: 'lab' }],
    state: 'published',
    assigned: true,
    review: 'Liebe Agnieszka, wir enden mit deinem letzten Satz.',
    posts: [
      {
        channel: 'linkedin',
        alts: ['Ein Labor mit Messgeräten'],
        steps: [
          {
            write:
              'Was ist eine Kalibrierung? Ein Vergleich mit etwas, dem alle vertrauen. Unser Kilogramm ' +
              'liegt unter drei Glasglocken und darf nicht angefasst werden.',
          },
          'send',
          { answer: 'approve' },
          'publish',
        ],
      },
    ],
  },
  {
    key: 't-spielzeug',
    by: 'testnormec',
    kind: 'voice_message',
    daysAgo: 4.5,
    person: ['Doris', 'Hagedorn'],
    transcript:
      'Guten Tag, Doris aus der Spielzeugprüfung. Wir ziehen an Teddyaugen, genau zehn Sekunden mit ' +
      'neunzig Newton. Wenn das Auge abgeht, geht der Teddy zurück.',
    files: [
      { make: 'recording', pitch: 188 },
      { make: 'picture', scene: 'lab' },
    ],
    state: 'for_review',
    review: 'Hallo Frau Hagedorn, passt das so?',
  },
  {
    key: 't-nachtlauf',
    by: 'testnormec',
    kind: 'voice_message',
    daysAgo: 13,
    person: ['Stefan', 'Quandt'],
    transcript:
      'Hier Stefan. Unser Prüfstand läuft auch nachts, eine Million Lastwechsel an einem Fahrradlenker. ' +
      'Morgens um sechs ist er gebrochen, und alle haben sich gefreut.',
    files: [{ make: 'recording', pitch: 108 }],
    state: 'rejected',
    notes: ['Hersteller möchte nicht genannt werden, bitte neu aufnehmen.'],
  },
];
