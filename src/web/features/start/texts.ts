/** §2.4, D5. */
export const startTexts = {
  tab: 'Start',
  greeting: (name: string) => `Hallo ${name}`,
  lead: 'Woraus soll der nächste Beitrag entstehen? Wähle, wie du dein Material einreichen möchtest.',
  selectionTitle: 'Was möchtest du einreichen?',
  selectionLead: 'Jeder Weg führt zum selben Ziel: Das Team macht daraus Posts für die Kanäle des Verbands.',
  own: 'Meine Beiträge ansehen',
  next: 'So geht es weiter',
  steps: [
    {
      title: 'Du reichst Material ein',
      text: 'Gesprochen, gefilmt oder als Datei. Am Telefon genauso wie am Rechner.',
    },
    {
      title: 'Das Team macht Posts daraus',
      text: 'Text und Bild werden geprüft und für die Kanäle aufbereitet.',
    },
    {
      title: 'Du siehst sie zuerst',
      text: 'Die fertigen Posts kommen zu dir zurück, zur Durchsicht und für deine eigenen Kanäle.',
    },
  ],
  options: {
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
    'video-upload': {
      title: 'Video hochladen',
      line: 'Ein Clip und fünf kurze Angaben dazu.',
      duration: 'ca. 5 Minuten',
    },
    'image-upload': {
      title: 'Bild hochladen',
      line: 'Ein Foto und die Geschichte dahinter.',
      duration: 'ca. 3 Minuten',
    },
    'document-upload': {
      title: 'Dokument hochladen',
      line: 'PDF, Word oder Text als Grundlage.',
      duration: 'ca. 1 Minute',
    },
  },
  /** Where nothing transcribes, the card does not promise that it does. */
  voiceUntranscribed: 'Sprich frei und schreib danach kurz auf, worum es geht.',
} as const;
