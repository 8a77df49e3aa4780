import type { Sample } from '../sample.ts';

/** A maker of rail vehicles. */
export const FIRMA_B: readonly Sample[] = [
  {
    key: 'b-akkuzug',
    by: 'firma_b',
    kind: 'interview',
    topic: 'behind-scenes',
    daysAgo: 2.5,
    person: ['Ingo', 'Mattern'],
    turns: [
      'Woran arbeitet ihr gerade?',
      'An einem Zug, der auf Strecken ohne Oberleitung mit Akku fährt. Achtzig Kilometer schafft er, ' +
        'dann lädt er im Bahnhof nach.',
      'Was sieht man davon nicht?',
      'Die Kühlung. Ein Akku mag es wie wir: zwanzig Grad und keine Aufregung.',
      'Was war der schwierigste Tag?',
      'Die erste Winterfahrt. Minus vierzehn Grad, und die Heizung zog mehr Strom als der Antrieb. ' +
        'Danach haben wir die Türen umgebaut.',
    ],
    files: [
      { make: 'picture', scene: 'train' },
      { make: 'picture', scene: 'train' },
    ],
    state: 'in_progress',
    assigned: true,
    notes: ['Winterfahrt passt gut in den Dezember.'],
  },
  {
    key: 'b-schweisserin',
    by: 'firma_b',
    kind: 'voice_message',
    daysAgo: 3.5,
    person: ['Nadine', 'Grothe'],
    transcript:
      'Hi, ich bin Nadine, ich schweiße Drehgestelle. Eine Naht ist zwei Meter lang, und die darf ' +
      'nirgends dünner sein als acht Millimeter. Wir haben jetzt einen Roboter, der die langen Nähte ' +
      'macht. Die Ecken mache ich, da kommt er nicht hin.',
    files: [
      { make: 'recording', pitch: 176 },
      { make: 'picture', scene: 'workshop' },
    ],
  },
  {
    key: 'b-leiser-zug',
    by: 'firma_b',
    kind: 'voice_message',
    daysAgo: 14,
    person: ['Matthias', 'Ohlsen'],
    transcript:
      'Guten Morgen. Wir haben den Lärm eines Güterwagens halbiert, ohne am Wagen etwas zu ändern, nur ' +
      'an der Bremssohle. Die Anwohner haben es vor den Messgeräten gemerkt.',
    files: [{ make: 'recording', pitch: 104 }],
    state: 'published',
    review: 'Guten Tag Herr Ohlsen, der letzte Satz wird die Überschrift.',
  },
  {
    key: 'b-hochzeit',
    by: 'firma_b',
    kind: 'video',
    daysAgo: 7,
    person: ['Sabrina', 'Kolbe'],
    answers: {
      who: 'Die Endmontage',
      what: 'Wagenkasten trifft Drehgestell, wir sagen dazu Hochzeit',
      when: 'Jeden Dienstag',
      where: 'Halle 4',
      why: 'Weil auch nach zwanzig Jahren noch alle zuschauen',
    },
    files: [
      { make: 'film', scene: 'train' },
      { make: 'picture', scene: 'train' },
    ],
    state: 'for_review',
    assigned: true,
    review: 'Hallo Sabrina, das Wort Hochzeit behalten wir.',
  },
  {
    key: 'b-windkanal',
    by: 'firma_b',
    kind: 'image',
    daysAgo: 0.8,
    person: ['Pavel', 'Novotny'],
    answers: {
      who: 'Die Aerodynamik',
      what: 'Ein Modell im Maßstab eins zu zehn',
      when: 'Diese Woche',
      where: 'Windkanal der Hochschule',
      why: 'Weil jede Rundung am Kopf Strom spart',
    },
    files: [
      { make: 'picture', scene: 'train' },
      { make: 'picture', scene: 'chart' },
    ],
  },
  {
    key: 'b-lehrgang',
    by: 'firma_b',
    kind: 'document',
    daysAgo: 28,
    person: ['Ute', 'Fährmann'],
    files: [
      {
        make: 'document',
        title: 'Lehrgang Hochvolt: Ablauf',
        paragraphs: [
          'Zwei Tage Theorie, ein Tag an der Anlage, eine Prüfung. Zwölf Plätze, Anmeldung bis Monatsende.',
          'Wer besteht, darf an Akkuzügen arbeiten.',
        ],
      },
    ],
    state: 'rejected',
    notes: ['Nur intern, nicht für Kanäle des Verbands.'],
  },
  {
    key: 'b-sommerfest',
    by: 'firma_b',
    kind: 'contributor',
    daysAgo: 22,
    person: ['Emine', 'Tosun'],
    files: [
      { make: 'picture', scene: 'team' },
      { make: 'picture', scene: 'solar' },
    ],
    state: 'published',
  },
  {
    key: 'b-abgebrochen',
    by: 'firma_b',
    kind: 'voice_message',
    daysAgo: 0.2,
    transcript: 'Also, ich fange noch einmal an. Wir haben heute den ersten Wagen mit dem neuen Boden ausgeliefert.',
    files: [{ make: 'recording', pitch: 120 }],
  },
];
