import { limitInWords } from '#web/submission/texts.ts';

export type MediaKind = 'video' | 'image';

type Toast = Readonly<{ title: string; description?: string }>;

/** What differs between the two flows. §2.9, §5 and §8 to the letter; what has no source there is new (D19, D20). */
type KindTexts = Readonly<{
  heading: string;
  lead: string;
  choose: string;
  hint: (maxBytes: number) => string;
  wrongType: string;
  tooMany: Toast;
  chooseAgain: string;
  describeLead: string;
  incomplete: Toast;
  descriptionSaved: Toast;
  descriptionFailed: Toast;
  uploaded: Toast;
  uploadFailed: Toast;
  uploadingTitle: string;
}>;

const incompleteTitle = 'Unvollständige Beschreibung';
const tooManyTitle = 'Zu viele Dateien';

export const KINDS: Readonly<Record<MediaKind, KindTexts>> = {
  video: {
    heading: 'Video hochladen',
    lead: 'Wähle einen Clip aus. Danach beschreibst du kurz, was darauf zu sehen ist.',
    choose: 'Video auswählen',
    hint: (maxBytes) => `Ein Video · MP4, MOV oder WebM · höchstens ${limitInWords(maxBytes)}`,
    wrongType: 'Das ist kein Video. Hier kannst du nur Videos auswählen.',
    tooMany: { title: tooManyTitle, description: 'Hier ist nur ein Video möglich.' },
    chooseAgain: 'Deine Angaben sind noch da. Wähle das Video noch einmal aus, dann geht es weiter.',
    describeLead: 'Fünf kurze Angaben, damit aus deinem Video ein guter Beitrag wird.',
    incomplete: { title: incompleteTitle, description: 'Bitte beantworte alle W-Fragen.' },
    descriptionSaved: { title: 'Videobeschreibung wurde gespeichert.' },
    descriptionFailed: { title: 'Fehler', description: 'Die Videobeschreibung konnte nicht gespeichert werden.' },
    uploaded: { title: 'Upload erfolgreich', description: 'Video erfolgreich hochgeladen' },
    uploadFailed: {
      title: 'Upload fehlgeschlagen',
      description: 'Es gab ein Problem beim Hochladen der Dateien. Bitte versuche es erneut.',
    },
    uploadingTitle: 'Dein Video wird hochgeladen',
  },
  image: {
    heading: 'Bild hochladen',
    lead: 'Wähle ein Foto aus. Danach erzählst du kurz die Geschichte dahinter.',
    choose: 'Bild auswählen',
    hint: (maxBytes) => `Ein Bild · zum Beispiel JPG, PNG oder WebP · höchstens ${limitInWords(maxBytes)}`,
    wrongType: 'Das ist kein Bild. Hier kannst du nur Bilder auswählen.',
    tooMany: { title: tooManyTitle, description: 'Hier ist nur ein Bild möglich.' },
    chooseAgain: 'Deine Angaben sind noch da. Wähle das Bild noch einmal aus, dann geht es weiter.',
    describeLead: 'Fünf kurze Angaben, damit aus deinem Bild ein guter Beitrag wird.',
    incomplete: {
      title: incompleteTitle,
      description: 'Bitte beantworte alle W-Fragen mit mindestens 2 Zeichen.',
    },
    descriptionSaved: { title: 'Bildbeschreibungen wurden gespeichert.' },
    descriptionFailed: { title: 'Fehler', description: 'Die Bildbeschreibungen konnten nicht gespeichert werden.' },
    uploaded: { title: 'Upload erfolgreich', description: 'Bilder erfolgreich hochgeladen (1)' },
    uploadFailed: {
      title: 'Upload fehlgeschlagen',
      description: 'Die Bilder konnten nicht hochgeladen werden. Bitte versuche es erneut.',
    },
    uploadingTitle: 'Dein Bild wird hochgeladen',
  },
};

export const texts = {
  next: 'Weiter',
  selected: 'Ausgewählte Datei',
  heicTitle: { title: 'Ungültiger Dateityp' },
  choiceHeading: 'Wie möchtest du es beschreiben?',
  choiceLead: 'Wer, was, wann, wo und warum: Schreib es auf oder erzähl es in einem kurzen Gespräch.',
  choice: {
    text: { title: 'Textformular', line: 'Fünf kurze Fragen schriftlich beantworten.', duration: 'ca. 2 Minuten' },
    interview: {
      title: 'Kurzes Sprachinterview',
      line: 'Die Fragen im Gespräch beantworten.',
      duration: 'ca. 3 Minuten',
    },
  },
  describeHeading: 'Die fünf W-Fragen',
  questions: {
    who: { label: 'Wer?', hint: 'Wer ist zu sehen oder beteiligt?' },
    what: { label: 'Was?', hint: 'Was passiert hier?' },
    when: { label: 'Wann?', hint: 'Wann war das?' },
    where: { label: 'Wo?', hint: 'Wo ist es entstanden?' },
    why: { label: 'Warum?', hint: 'Warum ist das erzählenswert?' },
  },
  fieldMissing: 'Diese Antwort fehlt noch.',
  fieldShort: 'Bitte mindestens 2 Zeichen.',
  interviewHeading: 'Kurzes Sprachinterview',
  interviewLead: 'Beantworte die fünf W-Fragen im Gespräch.',
  interviewComing: 'Das Interview folgt in Kürze',
  interviewComingText:
    'Bis dahin beantwortest du die fünf Fragen schriftlich. Deine ausgewählte Datei bleibt erhalten.',
  toText: 'Schriftlich beantworten',
  interviewOpen: 'Absenden kannst du, sobald das Interview abgeschlossen ist.',
  submit: 'Absenden',
  submitting: 'Wird gesendet...',
  uploadingLead: 'Bitte lass diese Seite so lange geöffnet.',
  unavailable: 'Gerade besteht keine Verbindung. Deine Angaben bleiben hier, du kannst sie gleich absenden.',
  local: {
    title: 'Lokal gespeichert',
    description: 'Die Datei ist nur temporär in diesem Browser, weil die Datenbank nicht erreichbar war.',
  },
  inOutbox: {
    title: 'Beitrag gesichert',
    description: 'Er liegt im Ausgangskorb und wird von selbst gesendet.',
  },
  done: 'Fertig. Es geht gleich weiter.',
} as const;
