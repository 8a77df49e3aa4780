import type { DeskMail, DeskMailOutcome } from '#contract/desk.ts';
import type { StoredFile } from './stored-files.ts';

const FILE_NAMES: Readonly<Record<StoredFile['name'], string>> = {
  audio: 'Aufnahme',
  video: 'Video',
  picture: 'Bild',
  document: 'Dokument',
  transcript: 'Transkript-Datei',
  text: 'Textdatei',
  other: 'Datei',
};

const MAILS: Readonly<Record<string, string>> = {
  new: 'E-Mail an das Team',
  for_review: 'E-Mail zur Freigabe',
  published: 'E-Mail mit dem Link',
  review: 'E-Mail mit dem Freigabe-Link',
  review_reminder: 'Erinnerung an die Freigabe',
  review_answer: 'E-Mail an das Team über eine Antwort',
  receipt: 'Eingangsbestätigung',
} satisfies Readonly<Record<DeskMail, string>>;

const OUTCOMES: Readonly<Record<string, string>> = {
  sent: 'verschickt',
  refused: 'vom Mailserver abgelehnt',
  unsure: 'Zustellung ungewiss',
  no_address: 'nicht verschickt, die Adresse fehlte oder wurde vorher geändert',
  limited: 'nicht verschickt, diese Adresse hatte an einem Tag schon genug davon',
} satisfies Readonly<Record<DeskMailOutcome, string>>;

export const contributionTexts = {
  print: 'Drucken',
  back: 'Zum Eingang',
  neighbours: 'In der Liste',
  previous: 'Vorheriger Beitrag',
  next: 'Nächster Beitrag',
  loading: 'Lade Beitrag...',
  notFoundTitle: 'Diesen Beitrag gibt es nicht',
  notFound: 'Er wurde gelöscht, oder der Link stimmt nicht.',
  failedTitle: 'Der Beitrag konnte nicht geladen werden',
  number: (id: number) => `Beitrag ${id}`,
  area: 'Bereich',
  topic: 'Thema',
  consented: (at: string, version: string) => `Einwilligung vom ${at}, Fassung ${version}`,
  received: 'Eingegangen',
  completed: 'Abgeschlossen',
  erasedOn: 'Wird gelöscht ab',
  recordings: 'Aufnahmen und Videos',
  pictures: 'Bilder',
  notShowable: 'Dieses Bild lässt sich nicht anzeigen.',
  filesUnreachable: 'Aufnahmen und Bilder sind gerade nicht erreichbar.',
  listenFrom: (time: string) => `${time}, von hier an anhören`,
  transcript: 'Transkript',
  noTranscript: {
    title: 'Kein Transkript',
    recording: 'Was gesagt wurde, hörst du in der Aufnahme.',
    filed: 'Der Text liegt nur als Transkript-Datei vor. Du findest sie unter „Dateien“.',
    logged: 'Was gesagt wurde, steht im Gesprächsverlauf.',
    lost: 'Die Aufnahme dazu fehlt im Speicher. Frag nach, ob sie noch einmal geschickt werden kann.',
    nothing: 'Auch eine Aufnahme ist nicht da: Sie wurde nicht mitgeschickt oder nicht behalten.',
    open: 'Der Beitrag ist noch nicht abgeschlossen. Vielleicht kommt der Text noch.',
    listen: 'Aufnahme anhören',
  },
  copy: 'Kopieren',
  copyFailed: 'Kopieren nicht möglich. Markiere den Text und kopiere ihn von Hand.',
  log: 'Gesprächsverlauf',
  logShort: 'Gespräch',
  conversation: (number: number, when: string) => `Gespräch ${number} · ${when}`,
  interviewer: 'Interviewer',
  somebody: 'Antwort',
  words: 'Transkript und Gespräch',
  answers: 'W-Fragen',
  questions: { who: 'Wer?', what: 'Was?', when: 'Wann?', where: 'Wo?', why: 'Warum?' },
  noAnswer: 'Nicht beantwortet',
  contact: 'Kontakt',
  writeTo: (email: string) => `E-Mail an ${email} schreiben`,
  correct: {
    open: 'Adresse berichtigen',
    title: 'E-Mail-Adresse berichtigen',
    text: 'Alles Weitere geht an die neue Adresse. Ein Freigabe-Link, der schon verschickt ist, gilt dann nicht mehr.',
    sentAgain: 'Wartet ein Post auf Antwort, geht der neue Link von selbst hinaus.',
    label: 'E-Mail',
    invalid: 'Das ist keine E-Mail-Adresse.',
    submit: 'Berichtigen',
    done: (email: string) => `Die Adresse ist jetzt ${email}`,
  },
  noContact: 'Die Kontaktdaten fehlen noch. Vielleicht ist der Beitrag noch in Arbeit.',
  account: 'Die Adresse des angemeldeten Kontos.',
  noAccount: 'Ohne Anmeldung eingereicht.',
  mailProblem: {
    refused: {
      title: 'Die letzte E-Mail kam nicht an',
      // Without an answer of the mail server it was never asked, or was away for the week that a mail waits.
      text: (code: string) =>
        code === ''
          ? 'Die Adresse ist ungültig, oder der Mailserver war eine Woche lang nicht erreichbar. ' +
            'Sie wird nicht noch einmal verschickt.'
          : `Der Mailserver hat sie abgelehnt (${code}). Vielleicht stimmt die Adresse nicht. ` +
            'Sie wird nicht noch einmal verschickt.',
    },
    unsure: {
      title: 'Vielleicht kam die letzte E-Mail nicht an',
      text: () => 'Der Mailserver hat den Empfang nicht bestätigt. Frag nach, bevor du noch einmal schreibst.',
    },
    no_address: {
      title: 'Die letzte E-Mail wurde nicht verschickt',
      text: () => 'Die Adresse fehlte, oder sie wurde vorher geändert.',
    },
  },
  work: 'Bearbeitung',
  nextStep: {
    new: 'In Arbeit nehmen',
    in_progress: 'Nachricht zur Freigabe schreiben',
    for_review: 'Veröffentlichen',
    published: undefined,
    rejected: 'Wieder aufnehmen',
  },
  toPosts: 'Zu den Posts',
  otherState: 'Status ändern',
  publishedAt: 'Veröffentlicht unter',
  assignee: 'In Bearbeitung bei',
  toMe: 'Mir zuweisen',
  changed: (state: string) => `Status ist jetzt „${state}“.`,
  assigned: (who: string) => `In Bearbeitung bei: ${who}.`,
  notes: 'Interne Notiz',
  notesHint: 'Nur das Team sieht sie.',
  noteKept: 'Auf diesem Gerät gesichert, noch nicht gespeichert.',
  addNote: 'Notiz speichern',
  noteMissing: 'Bitte schreibe zuerst etwas.',
  noteSaved: { title: 'Notiz gespeichert' },
  history: 'Verlauf',
  noHistory: 'Noch ist nichts geschehen.',
  someone: 'Jemand, dessen Konto es nicht mehr gibt',
  colleague: 'Ein anderes Konto',
  files: 'Dateien',
  noFiles: 'Zu diesem Beitrag gibt es keine Dateien.',
  fileName: ({ name, number, extension }: StoredFile) =>
    `${FILE_NAMES[name]} ${number}${extension === '' ? '' : ` (${extension})`}`,
  missing: 'Fehlt im Speicher',
  missingText:
    'Diese Datei ist verzeichnet, aber im Speicher nicht zu finden. Frag nach, ' +
    'ob sie noch einmal geschickt werden kann.',
  downloadWhat: (name: string) => `${name} herunterladen`,
  imageRights: {
    label: (name: string) => `${name}: Wer ist zu erkennen?`,
    notAsked: 'Nicht gefragt, wer zu erkennen ist',
    failed: 'Die Angabe wurde nicht gespeichert',
  },
  original: 'Original',
  downloadOriginal: (name: string) => `${name} als Original herunterladen, mit Orts- und Gerätedaten`,
  cleanHint:
    'Bilder und Videos lädst du ohne Orts- und Gerätedaten herunter. „Original“ und das ZIP enthalten, ' +
    'was eingereicht wurde.',
  cleanedHint:
    'Bilder und Videos lädst du ohne Orts- und Gerätedaten herunter. ' +
    'Auch aus dem Speicher verschwinden diese Daten eine Stunde nach Eingang.',
  downloadAll: 'Alles als ZIP',
  preparing: 'Wird vorbereitet...',
  namePreview: (name: string) => `Vorschau von ${name}`,
  previewLoading: 'Lade Vorschau...',
  previewFailed:
    'Die Vorschau konnte nicht geladen werden. Vielleicht ist die Datei beschädigt. Du kannst sie herunterladen.',
  noPdf: 'Dein Browser zeigt PDF-Dateien nicht an. Du kannst die Datei herunterladen.',
  cut: (most: string) => `Hier stehen die ersten ${most} Zeichen. Der ganze Text ist in der Datei.`,
  empty: 'Diese Datei ist leer.',
  viewer: {
    open: (name: string) => `${name} groß ansehen`,
    position: (number: number, of: number) => `Bild ${number} von ${of}`,
    alt: (number: number, of: number, by: string) => `Bild ${number} von ${of}${by && `, eingereicht${by}`}`,
    previous: 'Vorheriges Bild',
    next: 'Nächstes Bild',
    larger: 'Vergrößern',
    smaller: 'Verkleinern',
    fit: 'Ganzes Bild',
    zoom: (percent: string) => `${percent} %`,
  },
  erase: {
    open: 'Beitrag löschen',
    hint: 'Für immer, mit allen Dateien.',
    title: 'Beitrag endgültig löschen?',
    text: (by: string, files: string) =>
      `Der Beitrag${by} wird mit Transkript, Gespräch, Kontaktdaten, Notizen und allem, ` +
      `was dazugehört (${files}), gelöscht. Das lässt sich nicht rückgängig machen.`,
    understood: 'Ja, diesen Beitrag endgültig löschen',
    confirm: 'Endgültig löschen',
    done: 'Beitrag gelöscht',
    running: 'Die Löschung läuft',
    runningText:
      'Sie dauert länger und geht von selbst zu Ende, auch wenn du diese Seite verlässt. ' +
      'Die Quittung steht dann unter Datenschutz.',
  },
  events: {
    state: (from: string, to: string) => `Status: ${from} → ${to}`,
    ofPosts: 'durch die Antwort auf die Posts',
    assigned: (to: string) => `Zugewiesen: ${to}`,
    unassigned: 'Zuweisung aufgehoben',
    note: 'Notiz',
    address: 'E-Mail-Adresse berichtigt',
    mail: (mail: string, outcome: string, answer: string | null) => {
      const neverSeen = outcome === 'refused' && answer === null;
      return `${MAILS[mail] ?? 'E-Mail'}: ${neverSeen ? 'nicht zugestellt' : (OUTCOMES[outcome] ?? outcome)}`;
    },
    wholeText: 'Ganzen Text anzeigen',
    mailAnswer: (code: string) => `Antwort des Mailservers: ${code}`,
  },
} as const;
