/** German texts of the shell's parts that come after the first screen. */
export const laterTexts = {
  idle: {
    title: 'Bist du noch da?',
    text:
      'Seit fast 30 Minuten ist hier nichts passiert. Gleich wirst du abgemeldet, damit niemand anderes ' +
      'weitermacht.',
    stay: 'Angemeldet bleiben',
  },
  outbox: (count: number) => `Ausgangskorb: ${count} ${count === 1 ? 'Beitrag wartet' : 'Beiträge warten'}`,
  update: {
    title: 'Eine neue Version ist da.',
    load: 'Neue Version laden',
    working: {
      title: 'Neue Version',
      description: 'Gerade läuft noch etwas. Lade die neue Version, wenn es fertig ist.',
    },
    elsewhere: {
      title: 'Neue Version',
      description:
        'In einem anderen Fenster ist noch ein Beitrag offen. Schließe ihn ab und versuche es dann noch einmal.',
    },
  },
  newItems: (count: number) => (count === 1 ? '1 neuer Beitrag' : `${count} neue Beiträge`),
} as const;
