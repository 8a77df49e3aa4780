import { limitInWords } from '#web/submission/texts.ts';

/** §2.9, §5 and §8 to the letter; what has no source there is new (D19, D20). */
export const texts = {
  heading: 'Dokument hochladen',
  lead: 'Ein Bericht, ein Artikel, eine Notiz: Was du schon hast, wird die Grundlage für den Beitrag.',
  choose: 'Dokument auswählen',
  another: 'Anderes Dokument auswählen',
  hint: (maxBytes: number) => `PDF, DOC, DOCX oder TXT · höchstens ${limitInWords(maxBytes)}`,
  selected: 'Ausgewähltes Dokument',
  upload: 'Hochladen',
  uploading: 'Wird hochgeladen...',
  unavailable: 'Gerade besteht keine Verbindung. Dein Dokument bleibt hier, du kannst es gleich hochladen.',
  wrongType: {
    title: 'Ungültiger Dateityp',
    description: 'Bitte lade ein PDF, DOC, DOCX oder TXT Dokument hoch.',
  },
  tooMany: { title: 'Zu viele Dateien', description: 'Hier ist nur ein Dokument möglich.' },
  noFile: { title: 'Keine Datei ausgewählt', description: 'Bitte wähle eine Datei zum Hochladen aus.' },
  success: { title: 'Upload erfolgreich', description: 'Dokument erfolgreich hochgeladen' },
  inOutbox: {
    title: 'Dokument gesichert',
    description: 'Es liegt im Ausgangskorb und wird von selbst gesendet.',
  },
  local: {
    title: 'Lokal gespeichert',
    description: 'Das Dokument ist nur temporär in diesem Browser, weil die Datenbank nicht erreichbar war.',
  },
} as const;
