/** What a file is called that came without a name. */
export const fileNameTexts = {
  image: 'Bild',
  video: 'Video',
  audio: 'Sprachnachricht',
  text: 'Transkript',
  other: 'Dokument',
} as const;
