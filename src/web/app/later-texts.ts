import { formatNumber } from '#web/ui/format.ts';

const NOT_SENT = 'Dein Beitrag ist noch nicht abgesendet';

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
  newItems: (count: number) => (count === 1 ? '1 neuer Beitrag' : `${formatNumber(count)} neue Beiträge`),
  leaving: {
    unfinished: {
      title: NOT_SENT,
      description: 'Was schon bei uns angekommen ist, findest du unter „Meine Beiträge“ und kannst dort weitermachen.',
    },
    guest: {
      title: NOT_SENT,
      description: 'Damit dein Beitrag beim Team ankommt, brauchen wir noch deine Kontaktdaten.',
    },
    files: {
      title: 'Deine Dateien sind noch nicht angekommen',
      description: 'Sichere sie auf diesem Gerät, oder sende sie noch einmal.',
    },
    recording: {
      title: 'Deine Aufnahme läuft noch',
      description:
        'Wenn du jetzt gehst, endet sie. Was du gesprochen hast, bleibt auf diesem Gerät, und du kannst bei der ' +
        'Sprachnachricht damit weitermachen.',
    },
    unkept: {
      title: 'Deine Aufnahme läuft noch',
      description: 'Wenn du jetzt gehst, ist sie weg: Dieses Gerät kann sie nicht sichern.',
    },
    processing: {
      title: 'Deine Aufnahme wird gerade verarbeitet',
      description:
        'Wenn du jetzt gehst, ist dein Beitrag noch nicht abgesendet. Was du gesprochen hast, geht nicht verloren.',
    },
    upload: {
      title: 'Deine Dateien werden noch hochgeladen',
      description:
        'Wenn du jetzt gehst, läuft das weiter, solange diese Seite offen bleibt. Abgesendet ist dein Beitrag damit ' +
        'noch nicht.',
    },
    interview: {
      title: 'Dein Interview läuft noch',
      description: 'Wenn du jetzt gehst, endet es. Was bis hier gesagt wurde, bleibt erhalten.',
    },
  },
  leave: 'Trotzdem gehen',
  stay: 'Hier bleiben',
} as const;
