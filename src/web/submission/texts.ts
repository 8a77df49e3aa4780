/** What the screens of a flow share. */
export const stepNames = {
  recording: 'Aufnahme',
  transcript: 'Transkript',
  images: 'Bilder',
  end: 'Abschluss',
} as const;
