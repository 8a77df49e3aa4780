/** §2.12, §8 'Other'. */
export const dashboardTexts = {
  tab: 'Start',
  greeting: (name: string) => `Willkommen, ${name}`,
  lead: 'Was möchtest du heute einreichen?',
  more: 'Direkt hochladen',
  own: 'Meine Beiträge ansehen',
  /** Where nothing transcribes, the card does not promise that it does. */
  voiceUntranscribed: 'Sprich frei und schreib danach kurz auf, worum es geht.',
  targets: {
    'content-selection': { title: 'Content auswählen', line: 'Alle Wege auf einen Blick.', duration: undefined },
    'interview-category': {
      title: 'Interview führen',
      line: 'Ein KI-Interviewer fragt, du erzählst.',
      duration: 'ca. 10 Minuten',
    },
    'voice-message': {
      title: 'Sprachnachricht aufnehmen',
      line: 'Sprich frei, wir schreiben mit.',
      duration: 'bis 5 Minuten',
    },
    upload: { title: 'Medien hochladen', line: 'Fotos und Videos für einen Beitrag.', duration: undefined },
    'video-upload': { title: 'Video hochladen', line: 'Ein Clip und fünf kurze Angaben dazu.', duration: undefined },
    'image-upload': { title: 'Bild hochladen', line: 'Ein Foto und die Geschichte dahinter.', duration: undefined },
    'document-upload': { title: 'Dokument hochladen', line: 'PDF, Word oder Text.', duration: undefined },
  },
} as const;
