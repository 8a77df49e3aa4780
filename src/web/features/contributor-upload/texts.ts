import type { Limits } from '#contract/app-config.ts';
import { CONTRIBUTOR_FILES_MAX } from '#contract/limits.ts';
import { limitInWords } from '#web/submission/texts.ts';

/** §2.10, §5 and §8 to the letter; what has no source there is new (D19, D20). */
export const texts = {
  heading: 'Upload von Medien',
  lead: 'Hier kannst du Bilder oder Videos hochladen, die wir im Beitrag verwenden dürfen.',
  contentId: 'Content-ID',
  noId: 'Nicht verfügbar',
  loading: 'Lade Informationen...',
  choose: 'Fotos und Videos auswählen',
  hint: (limits: Limits) =>
    `Bis zu ${CONTRIBUTOR_FILES_MAX} Dateien · Fotos (JPG, PNG, WebP) bis ` +
    `${limitInWords(limits.imageBytes)} · Videos (MP4, MOV, WebM) bis ${limitInWords(limits.videoBytes)}`,
  selected: 'Ausgewählte Dateien',
  upload: 'Hochladen',
  retryAll: 'Erneut versuchen',
  uploading: 'Wird hochgeladen...',
  skip: 'Überspringen',
  skipBusy: 'Upload läuft...',
  next: 'Weiter',
  status: {
    checking: { title: 'Systemstatus wird geprüft...', text: undefined },
    limited: {
      title: 'Eingeschränkter Modus',
      text: 'Ein Teil des Systems ist gerade nicht erreichbar. Der Upload kann länger dauern.',
    },
    unavailable: {
      title: 'Lokaler Modus',
      text: 'Gerade besteht keine Verbindung. Deine Dateien bleiben auf diesem Gerät, solange diese Seite offen ist.',
    },
  },
  refused: {
    title: 'Dieser Link gilt nicht mehr',
    text: 'Bitte die Person, von der du ihn hast, um einen neuen Link.',
    uploadWithoutLink: 'Ohne Link hochladen',
  },
  closed: {
    title: 'Für den Upload brauchst du einen Link',
    text: 'Bitte die Person, mit der du zusammenarbeitest, um einen Link oder QR-Code, oder melde dich an.',
  },
  lostLogin: 'Du bist nicht mehr angemeldet. Was du hochlädst, zählt nicht zu deinen Beiträgen.',
  tooMany: { title: 'Zu viele Dateien', description: `Du kannst maximal ${CONTRIBUTOR_FILES_MAX} Dateien hochladen.` },
  unsupported: 'wird nicht unterstützt',
  moreRefused: 'Weitere Dateien:',
  noFiles: {
    title: 'Keine Dateien ausgewählt',
    description: 'Bitte wähle mindestens eine Datei zum Hochladen aus.',
  },
  noContentId: { title: 'Fehler', description: 'Content-ID nicht gefunden. Bitte starten Sie den Prozess neu.' },
  success: (count: number) => ({
    title: 'Upload erfolgreich',
    description: `${count} Datei(en) wurden erfolgreich hochgeladen.`,
  }),
  none: {
    title: 'Upload fehlgeschlagen',
    description:
      'Es konnten keine Dateien hochgeladen werden. Bitte versuchen Sie es ' +
      'erneut oder überspringen Sie diesen Schritt.',
  },
  inOutbox: {
    title: 'Dateien gesichert',
    description: 'Sie liegen im Ausgangskorb und werden von selbst gesendet.',
  },
  local: {
    title: 'Dateien lokal gespeichert',
    description: 'Sie sind nur temporär in diesem Browser, weil die Datenbank nicht erreichbar war.',
  },
} as const;
