/** Texts in archives: file names and the content of the text files. */
export const TEXTS = {
  archive: (id: number) => `beitrag-${id}.zip`,
  personArchive: (day: string) => `auskunft-${day}.zip`,
  contribution: 'beitrag.json',
  transcript: 'transkript.txt',
  sums: 'pruefsummen.txt',
  missing: 'fehlend.txt',
  person: 'person.json',
  contributionsFolder: 'beitraege',
  mailsFolder: 'mails',
  kinds: {
    audio: 'Audio',
    video: 'Video',
    image: 'Bild',
    text: 'Text',
    document: 'Dokument',
  },
  editedTranscript: 'Transkript-bearbeitet',
  noTranscript: 'Zu diesem Beitrag gibt es kein Transkript.\n',
  missingHead: 'Diese Dateien fehlen im Archiv oder sind nicht unversehrt. Alle anderen sind vollständig.\n\n',
  missingLine: {
    missing: (name: string) => `${name}: fehlt im Speicher`,
    short: (name: string) => `${name}: unvollständig, der Speicher hat nur einen Teil`,
    damaged: (name: string) => `${name}: beschädigt, der Inhalt ist nicht der hochgeladene`,
  },
} as const;
