import { limitInWords } from '#web/submission/texts.ts';

/** §2.8, §5 and §8 to the letter; what has no source there is new (D19, D20). */
export const texts = {
  heading: 'Bilder hinzufügen',
  lead: 'Bilder machen deinen Beitrag anschaulich. Dieser Schritt ist freiwillig.',
  hintOne: (bytes: number) => `Ein Bild · JPG, PNG oder WebP · höchstens ${limitInWords(bytes)}`,
  hintMany: (files: number, bytes: number) =>
    `Bis zu ${files} Fotos · JPG, PNG oder WebP · je höchstens ${limitInWords(bytes)}`,
  dropOne: 'Bild auswählen',
  dropMany: 'Fotos auswählen',
  selected: 'Ausgewählte Bilder',
  upload: 'Hochladen',
  uploading: 'Wird hochgeladen...',
  skip: 'Überspringen',
  unavailable: 'Gerade besteht keine Verbindung. Deine Auswahl bleibt hier, du kannst sie gleich hochladen.',
  done: 'Fertig. Es geht gleich weiter.',
  tooMany: { title: 'Zu viele Dateien', description: 'Du kannst maximal 10 Dateien hochladen.' },
  tooManyOne: { title: 'Zu viele Dateien', description: 'Hier ist nur ein Bild möglich.' },
  noFiles: {
    title: 'Keine Dateien zum Hochladen',
    description: 'Wähle mindestens ein Bild aus oder überspringe diesen Schritt.',
  },
  noId: { title: 'Fehler', description: 'Keine Interview-ID gefunden. Bitte starte den Prozess erneut.' },
  noIdTest: { title: 'Fehler', description: 'Keine Interview-ID gefunden. Bitte starten Sie den Prozess erneut.' },
  noIdOnEntry: {
    title: 'Hinweis',
    description: 'Keine Interview-ID gefunden. Uploads werden möglicherweise nicht korrekt gespeichert.',
  },
  noIdOnEntryTest: {
    title: 'Keine Interview-ID gefunden',
    description: 'Bitte starten Sie den Prozess von vorne.',
  },
  success: (count: number) => ({
    title: 'Upload erfolgreich',
    description: `Bilder erfolgreich hochgeladen (${count})`,
  }),
  local: {
    title: 'Bilder lokal gespeichert',
    description: 'Sie sind nur temporär in diesem Browser, weil die Datenbank nicht erreichbar war.',
  },
  inOutbox: {
    title: 'Bilder gesichert',
    description: 'Sie liegen im Ausgangskorb und werden von selbst gesendet.',
  },
  failed: {
    title: 'Upload fehlgeschlagen',
    description: 'Die Bilder konnten nicht hochgeladen werden. Bitte versuche es erneut.',
  },
  failedTest: {
    title: 'Upload fehlgeschlagen',
    description:
      'Es konnten keine Dateien hochgeladen werden. Bitte versuchen Sie es ' +
      'erneut oder überspringen Sie diesen Schritt.',
  },
  unexpected: {
    title: 'Upload fehlgeschlagen',
    description: 'Es gab ein Problem beim Hochladen der Dateien. Bitte versuche es erneut.',
  },
} as const;
