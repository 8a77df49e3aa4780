import { formatPlace } from '#contract/channels.ts';
import { REVIEW_COMMENT_MAX } from '#contract/review.ts';
import type { AnswerOutcome } from './use-review.ts';

const PICTURES = ['', 'mit diesem Bild ', 'mit diesen Bildern '];

export const texts = {
  tab: 'Deine Posts',
  loading: 'Deine Posts werden geladen...',
  hello: (name: string) => (name === '' ? 'Hallo!' : `Hallo ${name}!`),
  lead: (count: number) =>
    `Aus deinem Beitrag ${count === 1 ? 'ist ein Post' : `sind ${count} Posts`} entstanden. ` +
    'Schau in Ruhe, ob alles stimmt. Ohne dein Ja wird nichts veröffentlicht.',
  leadDone: 'Hier siehst du jederzeit, wo deine Posts stehen.',
  none: 'Gerade gibt es hier nichts durchzusehen.',
  answered: (answered: number, all: number) => `${answered} von ${all} beantwortet`,
  preview: (channel: string) => `So sieht es ${formatPlace(channel)} aus`,
  picture: (place: number, alt: string) => `Bild ${place}: ${alt}`,
  status: {
    waiting: 'Wartet auf dich',
    approve: 'Passt so',
    change: 'Änderung gewünscht',
    decline: 'Wird nicht veröffentlicht',
    working: 'In Arbeit',
    stopped: 'Gestoppt',
    published: 'Veröffentlicht',
    withdrawn: 'Zurückgezogen',
  },
  given: {
    approve: 'Danke! Du hast Ja gesagt. Das Team veröffentlicht den Post.',
    change: 'Danke! Dein Wunsch ist beim Team. Du bekommst die neue Fassung wieder zur Durchsicht.',
    decline: 'Alles klar. Dieser Post wird nicht veröffentlicht.',
    working: 'Das Team schreibt gerade eine neue Fassung. Du bekommst sie wieder zur Durchsicht.',
    stopped: 'Das Team hat diesen Post gestoppt. Er wird nicht veröffentlicht.',
    takenDown: 'Das Team hat diesen Post aus dem Kanal genommen.',
    published: (date: string) => `Seit dem ${date} öffentlich.`,
    withdrawn: (date: string) =>
      `Du hast dein Ja am ${date} zurückgezogen. Das Team weiß Bescheid und nimmt den Post herunter.`,
  },
  yourWords: 'Deine Nachricht',
  see: 'Post ansehen',
  approve: 'Passt so',
  change: 'Bitte ändern',
  decline: 'Nicht veröffentlichen',
  withdraw: 'Zurückziehen',
  again: 'Antwort ändern',
  back: 'Abbrechen',
  sending: 'Wird gesendet...',
  meaning: (channel: string, pictures: number) =>
    `„Passt so“ heißt: Dieser Text darf ${PICTURES[Math.min(pictures, 2)] ?? ''}${formatPlace(channel)} erscheinen.`,
  forms: {
    change: {
      title: 'Was sollen wir ändern?',
      text: 'Schreib einfach drauflos, Stichworte reichen.',
      label: 'Deine Änderung',
      send: 'Änderung senden',
      missing: 'Schreib kurz, was wir ändern sollen.',
    },
    decline: {
      title: 'Soll dieser Post nicht erscheinen?',
      text: 'Dann bleibt er unveröffentlicht. Du kannst es dir später noch anders überlegen.',
      label: 'Magst du uns sagen, warum? (freiwillig)',
      send: 'Ja, nicht veröffentlichen',
      missing: '',
    },
    withdraw: {
      title: 'Möchtest du dein Ja zurückziehen?',
      text: 'Das Team nimmt den Post dann so bald wie möglich herunter.',
      label: 'Magst du uns sagen, warum? (freiwillig)',
      send: 'Ja, zurückziehen',
      missing: '',
    },
  },
  speak: {
    open: 'Lieber sprechen',
    write: 'Lieber schreiben',
    loading: 'Die Aufnahme wird vorbereitet...',
    failed: 'Die Aufnahme konnte nicht geladen werden. Prüfe deine Verbindung, oder schreib deine Änderung auf.',
  },
  kept: 'Auf diesem Gerät gesichert, noch nicht gesendet.',
  keptWords: 'Deine Nachricht, noch nicht gesendet und auf diesem Gerät gesichert',
  left: (count: number) => `Noch ${count} Zeichen`,
  limit: REVIEW_COMMENT_MAX,
  newText: {
    title: 'Der Text hat sich geändert',
    words: 'Deine Worte gelten einer früheren Fassung. Bitte sieh dir an, was jetzt hier steht, bevor du sie sendest.',
    choice: 'Das Team hat ihn überarbeitet. Bitte sieh dir an, was jetzt hier steht, bevor du antwortest.',
  },
  outcome: {
    recorded: undefined,
    gone: undefined,
    outdated: {
      title: 'Der Text hat sich geändert',
      text: 'Während du gelesen hast, hat das Team ihn überarbeitet. Deine Antwort haben wir deshalb nicht gezählt: Bitte sieh dir an, was jetzt hier steht.',
    },
    closed: {
      title: 'Das hat sich überschnitten',
      text: 'Inzwischen ist dieser Post schon weiter. Deine Antwort haben wir deshalb nicht gezählt.',
    },
    unreachable: {
      title: 'Keine Verbindung',
      text: 'Deine Antwort ist noch nicht angekommen. Sobald du wieder Netz hast, sende sie noch einmal.',
    },
    'too-many': {
      title: 'So viele Antworten auf einmal',
      text: 'Warte bitte etwas, oder antworte auf die E-Mail, mit der der Link kam.',
    },
    failed: {
      title: 'Das hat nicht geklappt',
      text: 'Deine Antwort ist noch nicht angekommen. Versuch es bitte gleich noch einmal.',
    },
  } satisfies Record<AnswerOutcome, Readonly<{ title: string; text: string }> | undefined>,
  unreachable: {
    title: 'Gerade keine Verbindung',
    text: 'Sobald du wieder Netz hast, geht es hier weiter. Was du geschrieben hast, ist auf diesem Gerät gesichert.',
  },
  invalid: {
    title: 'Dieser Link gilt nicht mehr',
    text: 'Links gelten 30 Tage, und jeder neue ersetzt den alten.',
    newLink: 'Wir schicken dir gern einen frischen, an die E-Mail-Adresse, die du uns gegeben hast.',
    kept: 'Was du schon geschrieben hast, ist auf diesem Gerät gesichert und wartet hier auf dich.',
    request: 'Neuen Link schicken',
    requesting: 'Wird angefordert...',
    cut: 'Kam der Link unvollständig an? Öffne ihn noch einmal aus unserer E-Mail, am besten mit einem Tipp darauf. Klappt das nicht, antworte einfach auf die E-Mail.',
    sentTitle: 'Schau in dein Postfach',
    sent: 'Wenn es zu diesem Link Posts gibt, ist in ein paar Minuten eine E-Mail da. Sieh auch im Spam-Ordner nach.',
    problem: {
      gone: 'Das geht hier gerade nicht. Antworte bitte auf die E-Mail, mit der der Link kam.',
      failed: 'Das geht hier gerade nicht. Antworte bitte auf die E-Mail, mit der der Link kam.',
      unreachable: 'Keine Verbindung. Versuch es bitte noch einmal, sobald du wieder Netz hast.',
      'too-many': 'Gerade wurden schon mehrere Links angefordert. Versuch es bitte in einer Stunde noch einmal.',
    },
  },
  evidence: {
    open: 'Worauf stützt sich das?',
    loading: 'Wir suchen die Stellen in deinem Material...',
    failed: 'Die Stellen konnten nicht geladen werden. Prüfe deine Verbindung und öffne den Abschnitt noch einmal.',
    lead: 'Satz für Satz, und was du dazu gesagt oder geschrieben hast.',
    quoted: 'Das hast du so gesagt',
    paraphrased: 'Das hast du sinngemäß gesagt',
    unsupported: 'Von uns ergänzt',
    check: 'Bitte lies diesen Satz besonders genau.',
    nothing: 'In diesem Text gibt es keine ganzen Sätze.',
  },
  working: {
    title: 'Das Team ist gerade dran',
    text: 'Im Moment gibt es hier nichts zu beantworten. Sobald etwas zur Durchsicht bereit ist, bekommst du eine E-Mail.',
  },
  consent: {
    title: 'Was dein Ja bedeutet',
    points: (association: string, pictures: boolean) => [
      `Mit „Passt so“ erlaubst du uns (${association}), genau diesen Text ${pictures ? 'mit genau diesen Bildern ' : ''}auf dem genannten Kanal zu veröffentlichen. Ändert das Team etwas, fragen wir dich neu.`,
      'Dein Ja ist freiwillig. Ein Nein hat für dich keine Nachteile.',
      'Du kannst es jederzeit zurückziehen: vorher mit einer anderen Antwort, nach der Veröffentlichung mit „Zurückziehen“. Das Team nimmt den Post dann herunter. Was bis dahin erschienen ist, war erlaubt; was andere schon geteilt oder gespeichert haben, können wir nicht zurückholen.',
      ...(pictures
        ? [
            'Sind auf den Bildern andere Menschen zu erkennen? Dann müssen auch sie einverstanden sein. Wenn du unsicher bist, wähle „Bitte ändern“ und schreib es dazu.',
          ]
        : []),
    ],
    privacy: 'Mehr dazu im Datenschutz',
  },
  done: {
    title: (name: string) => (name === '' ? 'Danke, das war alles!' : `Danke, ${name}, das war alles!`),
    text: 'Deine Antworten sind beim Team. Die Texte und Bilder kannst du auch selbst verwenden.',
    copy: 'Text kopieren',
    copyFailed: 'Kopieren hat nicht geklappt. Markiere den Text bitte von Hand.',
    download: 'Für mich herunterladen',
    downloading: 'Wird zusammengestellt...',
    downloadHint: 'Eine ZIP-Datei mit allen Texten und Bildern.',
    missing: (count: number) =>
      `${count === 1 ? 'Ein Bild fehlt' : `${count} Bilder fehlen`} in der Datei. Versuch es später noch einmal.`,
    failed: 'Das Herunterladen hat nicht geklappt. Prüfe deine Verbindung und versuch es noch einmal.',
  },
} as const;

/** The sources of the evidence, as the contributor knows them. */
const SOURCES: Readonly<Record<string, string>> = {
  transcript: 'Aus deinem Gespräch',
  'answer:who': 'Deine Antwort auf „Wer?“',
  'answer:what': 'Deine Antwort auf „Was?“',
  'answer:when': 'Deine Antwort auf „Wann?“',
  'answer:where': 'Deine Antwort auf „Wo?“',
  'answer:why': 'Deine Antwort auf „Warum?“',
};

export const nameSource = (id: string): string => SOURCES[id] ?? 'Aus deinem Material';
