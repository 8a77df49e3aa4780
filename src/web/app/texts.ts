const NOT_SENT = 'Dein Beitrag ist noch nicht abgesendet';

/** German texts of the shell: guards, header, footer, whole-screen states. */
export const appTexts = {
  initialising: 'Initialisiere...',
  loadingUser: 'Lade Benutzerdaten...',
  loadingScreen: 'Wird geladen...',
  accessDenied: {
    title: 'Zugriff verweigert',
    signedOut: 'Sie müssen angemeldet sein, um auf diesen Bereich zuzugreifen.',
    role: 'Sie haben keine Berechtigung für diesen Bereich.',
  },
  loggedOut: { title: 'Abgemeldet', description: 'Sie wurden erfolgreich abgemeldet.' },
  logout: 'Abmelden',
  home: 'Zur Startseite',
  findAccount: (username: string) => `Konto von ${username}`,
  signIn: 'Anmelden',
  navigation: {
    label: 'Navigation',
    items: {
      admin: 'Administration',
      inbox: 'Eingang',
      home: 'Start',
      new: 'Neuer Beitrag',
      own: 'Meine Beiträge',
    },
  },
  leaving: {
    unfinished: {
      title: NOT_SENT,
      description: 'Was schon bei uns angekommen ist, findest du unter „Meine Beiträge“ und kannst dort weitermachen.',
    },
    guest: {
      title: NOT_SENT,
      description: 'Damit dein Beitrag beim Team ankommt, brauchen wir noch deine Kontaktdaten.',
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
  ownArea: 'Zum eigenen Bereich',
  back: 'Zurück',
  legal: 'Rechtliches',
  imprint: 'Impressum',
  privacy: 'Datenschutz',
  offline: {
    title: 'Der Server ist gerade nicht erreichbar',
    text: 'Prüfe deine Internetverbindung. Was du bereits eingegeben hast, bleibt auf diesem Gerät erhalten.',
    retrying: 'Verbinde...',
  },
  roleUnreachable: {
    title: 'Deine Benutzerdaten sind gerade nicht erreichbar',
    text: 'Du bist angemeldet. Sobald die Verbindung wieder steht, geht es hier weiter.',
  },
  crashed: {
    title: 'Diese Seite konnte nicht angezeigt werden',
    text: 'Lade die Seite neu. Was du bereits gespeichert hast, bleibt erhalten.',
    reload: 'Seite neu laden',
  },
} as const;
