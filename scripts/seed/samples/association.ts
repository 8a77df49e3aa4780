import type { Sample } from '../sample.ts';

/** The association's own area, logins and guests. */
export const ASSOCIATION: readonly Sample[] = [
  {
    key: 'brueckenpruefung',
    by: 'vdi_admin',
    kind: 'interview',
    topic: 'tech-dive',
    daysAgo: 2,
    person: ['Friederike', 'Lindqvist'],
    turns: [
      'Worum geht es in deinem Projekt?',
      'Wir prüfen Spannbetonbrücken aus den sechziger Jahren mit Sensoren, die wir außen aufkleben. Die ' +
        'Brücke bleibt dabei offen.',
      'Was messt ihr genau?',
      'Dehnung und Schwingung. Jeder Lastwagen, der darüberfährt, ist für uns ein Versuch. Nach drei ' +
        'Wochen wissen wir, ob ein Spannglied gerissen ist.',
      'Was hat dich am meisten überrascht?',
      'Wie ehrlich so ein Bauwerk ist. Im Winter wird die Brücke steifer, im Sommer weicher, und man ' +
        'sieht es jeden Morgen in der Kurve.',
      'Was soll hängen bleiben?',
      'Man muss eine alte Brücke nicht gleich sperren. Man muss ihr zuhören.',
    ],
    files: [
      { make: 'picture', scene: 'bridge' },
      { make: 'picture', scene: 'chart' },
    ],
  },
  {
    key: 'vom-gesellen-zur-professorin',
    by: 'vdi_admin',
    kind: 'interview',
    topic: 'engineering-path',
    daysAgo: 6,
    person: ['Annegret', 'Osterkamp'],
    turns: [
      'Wie bist du Ingenieurin geworden?',
      'Über eine Lehre als Mechatronikerin. Mein Meister sagte irgendwann: Du fragst zu viel, geh studieren.',
      'War das leicht?',
      'Nein. Mathe habe ich im ersten Semester nicht bestanden. Ich habe mir eine Lerngruppe gesucht, ' +
        'die treffen wir heute noch.',
      'Und jetzt lehrst du selbst.',
      'Ja, Antriebstechnik. In der ersten Vorlesung liegt immer ein kaputtes Getriebe auf dem Tisch. Wer ' +
        'herausfindet, warum es kaputt ist, hat schon die Hälfte verstanden.',
    ],
    files: [{ make: 'picture', scene: 'workshop' }],
    state: 'in_progress',
    assigned: true,
    notes: ['Zitat mit dem Meister als Aufhänger nehmen.', 'Fragt sie noch nach einem Foto aus der Lehrzeit.'],
    posts: [
      {
        channel: 'linkedin',
        alts: ['Ein geöffnetes Getriebe auf einer Werkbank'],
        steps: [
          {
            write:
              'Von der Lehre zur Professur: Annegret war Mechatronikerin, heute lehrt sie ' +
              'Antriebstechnik. #Ingenieurin',
            model: 'demo-model',
          },
          {
            write:
              '„Du fragst zu viel, geh studieren“, sagte ihr Meister.\n\nAnnegret hat eine Lehre als ' +
              'Mechatronikerin gemacht und Mathe im ersten Semester nicht bestanden. Ihre Lerngruppe von ' +
              'damals trifft sie heute noch. Jetzt lehrt sie Antriebstechnik, und in der ersten ' +
              'Vorlesung liegt immer ein kaputtes Getriebe auf dem Tisch.\n\n#Ingenieurin ' +
              '#Antriebstechnik',
          },
        ],
      },
      {
        channel: 'x',
        steps: [{ write: 'In der ersten Vorlesung liegt ein kaputtes Getriebe auf dem Tisch.' }, 'stop'],
      },
      { channel: 'newsletter', steps: [{ write: '' }] },
    ],
  },
  {
    key: 'jugend-forscht-stand',
    by: 'admin',
    kind: 'interview',
    topic: 'free-topic',
    daysAgo: 31,
    person: ['Tarik', 'Aydemir'],
    turns: [
      'Wovon möchtest du erzählen?',
      'Vom Wettbewerb in unserem Bezirk. Drei Schülerinnen haben eine Waage gebaut, die Bienenvölker ' +
        'wiegt und ihr Gewicht funkt.',
      'Was habt ihr als Verband dazu beigetragen?',
      'Lötkolben, Bauteile und vier Samstage. Den Rest haben sie allein gemacht.',
    ],
    files: [
      { make: 'picture', scene: 'team' },
      { make: 'picture', scene: 'board' },
    ],
    state: 'published',
    assigned: true,
    review: 'Hallo Tarik, so würden wir es erzählen. Passt die Zahl der Samstage?',
    posts: [
      {
        channel: 'linkedin',
        alts: ['Drei Schülerinnen mit ihrer Waage', 'Die Platine der Waage mit dem Funkmodul'],
        steps: [
          {
            write: 'Drei Schülerinnen haben eine Waage gebaut, die Bienenvölker wiegt. Der Verband gab fünf Samstage.',
          },
          'send',
          { answer: 'change', comment: 'Es waren vier Samstage, nicht fünf.' },
          {
            write:
              'Drei Schülerinnen aus unserem Bezirk haben eine Waage gebaut, die Bienenvölker wiegt und ' +
              'ihr Gewicht funkt.\n\nVom Verband kamen Lötkolben, Bauteile und vier Samstage. Den Rest ' +
              'haben sie allein gemacht.\n\n#Nachwuchs #Technik',
          },
          'send',
          { answer: 'approve' },
          'publish',
        ],
      },
      {
        channel: 'website',
        alts: ['Drei Schülerinnen mit ihrer Waage'],
        steps: [
          {
            write:
              'Eine Waage für Bienen\n\nLötkolben, Bauteile und vier Samstage: Den Rest haben drei ' +
              'Schülerinnen allein gemacht.',
          },
          'send',
          { answer: 'approve' },
          'publish',
          { withdraw: 'Eine Schülerin möchte nicht mehr auf dem Bild sein.' },
        ],
      },
    ],
  },
  {
    key: 'windpark-wartung',
    by: 'vdi_admin',
    kind: 'voice_message',
    daysAgo: 1,
    person: ['Jonas', 'Petersen'],
    transcript:
      'Moin, hier ist Jonas vom Arbeitskreis Windenergie. Heute waren wir auf hundertvierzig Metern und ' +
      'haben ein Lager getauscht. Früher brauchte man dafür einen Kran, der drei Tage lang aufgebaut ' +
      'wird. Unser Kran steckt in vier Kisten und fährt im Aufzug mit nach oben. Am Abend lief die ' +
      'Anlage wieder.',
    files: [
      { make: 'recording', pitch: 112 },
      { make: 'picture', scene: 'turbine' },
    ],
  },
  {
    key: 'mentoring-aufruf',
    by: 'vdi_admin',
    kind: 'voice_message',
    daysAgo: 12,
    person: ['Claudia', 'Wendt'],
    transcript:
      'Guten Tag, ich bin Claudia und begleite seit fünf Jahren junge Ingenieurinnen im Mentoring. Wir ' +
      'suchen zum Frühjahr zwanzig neue Mentoren. Man braucht eine Stunde im Monat und die Bereitschaft, ' +
      'auch von eigenen Fehlern zu erzählen.',
    files: [{ make: 'recording', pitch: 198 }],
    state: 'for_review',
    assigned: true,
    review: 'Liebe Claudia, hier unser Entwurf. Dürfen wir deinen Vornamen nennen?',
    notes: ['Termin für das Frühjahr erfragt.'],
    posts: [
      {
        channel: 'linkedin',
        steps: [
          {
            write:
              'Zwanzig neue Mentoren gesucht: Claudia begleitet seit fünf Jahren junge ' +
              'Ingenieurinnen.\n\nMan braucht eine Stunde im Monat und die Bereitschaft, auch von ' +
              'eigenen Fehlern zu erzählen. Los geht es im Frühjahr.\n\n#Mentoring #Ingenieurinnen',
          },
          'send',
        ],
      },
      {
        channel: 'newsletter',
        steps: [
          {
            write:
              'Mentoring: Zum Frühjahr suchen wir zwanzig neue Mentoren. Eine Stunde im Monat genügt. ' +
              'Kaffee gibt es dazu.',
          },
          'send',
        ],
      },
    ],
  },
  {
    key: 'solardach-schule',
    by: 'vdi_admin',
    kind: 'video',
    daysAgo: 9,
    person: ['Miriam', 'Kahl'],
    answers: {
      who: 'Der Bezirksverein und die Klasse 9b',
      what: 'Ein Solardach, das die Schule selbst geplant hat',
      when: 'Montage in den Herbstferien',
      where: 'Gesamtschule am Kanal',
      why: 'Weil sich Strom besser erklären lässt, wenn er vom eigenen Dach kommt',
    },
    files: [{ make: 'film', scene: 'solar' }],
    state: 'in_progress',
  },
  {
    key: 'labor-offene-tuer',
    by: 'vdi_admin',
    kind: 'image',
    daysAgo: 15,
    person: ['Henrik', 'Sommer'],
    answers: {
      who: 'Der Arbeitskreis Verfahrenstechnik',
      what: 'Tag der offenen Labortür',
      when: 'Letzten Samstag',
      where: 'Technikum im Nordbau',
      why: 'Damit Nachbarn sehen, woran hier gearbeitet wird',
    },
    files: [
      { make: 'picture', scene: 'lab' },
      { make: 'picture', scene: 'team' },
      { make: 'picture', scene: 'chart' },
    ],
    state: 'published',
    review: 'Hallo Henrik, wir nehmen das erste Bild als Titel.',
  },
  {
    key: 'positionspapier-bahn',
    by: 'vdi_admin',
    kind: 'document',
    daysAgo: 20,
    person: ['Rolf', 'Brandner'],
    files: [
      {
        make: 'document',
        title: 'Digitale Stellwerke: fünf Punkte',
        paragraphs: [
          'Ein Stellwerk hält achtzig Jahre, seine Elektronik zwanzig. Wer heute umbaut, plant den nächsten Umbau mit.',
          'Wir schlagen vor, Schnittstellen offen zu legen, Ersatzteile zu bevorraten und Fachkräfte ' +
            'früher auszubilden.',
        ],
      },
    ],
    state: 'rejected',
    notes: ['Zu lang für einen Beitrag, an die Redaktion der Mitgliederzeitung gegeben.'],
  },
  {
    key: 'besuch-baustelle',
    by: 'guest',
    kind: 'contributor',
    daysAgo: 3,
    person: ['Paula', 'Reimann'],
    files: [
      { make: 'picture', scene: 'crane' },
      { make: 'picture', scene: 'crane' },
    ],
  },
  {
    key: 'halbfertig-ohne-kontakt',
    by: 'guest',
    kind: 'contributor',
    daysAgo: 0.4,
    files: [{ make: 'picture', scene: 'train' }],
  },
];
