/** Messages shown if a changed answer about a picture or video could not be saved. */
export const imageRightsProblems = {
  failed: {
    title: 'Angabe nicht gespeichert',
    description: 'Wer zu erkennen ist, konnten wir nicht ändern. Prüfe deine Verbindung und wähle noch einmal.',
  },
  refused: {
    title: 'Angabe nicht übernommen',
    description: 'Dieser Beitrag nimmt keine Änderung mehr an. Es bleibt bei der vorigen Angabe.',
  },
} as const;

/** What a file is called that came without a name. */
export const fileNameTexts = {
  image: 'Bild',
  video: 'Video',
  audio: 'Sprachnachricht',
  text: 'Transkript',
  other: 'Dokument',
} as const;
